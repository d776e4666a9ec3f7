import { array, assert, asyncProperty, boolean, constantFrom, record } from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/** Names that furniture often has, and content sometimes. */
const NAMES =
  'menu nav navigation related social share sharing promo promoted banner newsletter subscribe sidebar widget-area advert sponsor cookie consent disclaimer copyright credit toolbar teaser trending recommended read-more read-next signup pagination pager breadcrumbs hashtags paywall footer header comment-box meta byline gallery-link print-only recirc'.split(
    ' ',
  );
const TAGS = ['div', 'section', 'aside', 'p'];
const SENTENCES = [
  'Never open the battery box in rain, because water destroys the sensor.',
  'The museum is closed on Mondays and on the first day of each month.',
  'Stations that were built before 2019 need the second adapter.',
  'Do not drink from the stream: it carries lead from the old works.',
  'Children under six travel free if they share a seat.',
  'The last boat leaves the southern pier at half past nine.',
];
const PARAGRAPH =
  'The path along the weir is closed in flood, and visitors are asked to keep to the footbridge, which was built in stone a hundred years ago.';

const box = record({
  tag: constantFrom(...TAGS),
  name: constantFrom(...NAMES),
  isId: boolean(),
  isNested: boolean(),
});

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

describe('the main content', () => {
  it('has the sentences of its boxes, whatever their names and tags are', async () => {
    await assert(
      asyncProperty(array(box, { minLength: SENTENCES.length, maxLength: SENTENCES.length }), async (boxes) => {
        const parts = boxes.map(({ tag, name, isId, isNested }, index) => {
          const inner = isNested && tag !== 'p' ? `<p>${SENTENCES[index]}</p>` : SENTENCES[index];
          return `<${tag} ${isId ? 'id' : 'class'}="${name}">${inner}</${tag}><p>${PARAGRAPH} Number ${index}.</p>`;
        });
        const html_content = `<!doctype html><title>The weir</title><nav><a href="/">Home</a></nav><main><h1>The weir</h1><p>${PARAGRAPH}</p>${parts.join('')}</main><footer>Imprint</footer>`;

        const { body } = await capture(service.url, { html_content, format: 'markdown' });

        const text = body.toString();
        expect(SENTENCES.filter((sentence) => !text.includes(sentence))).toEqual([]);
      }),
      { numRuns: 30, seed: 1 },
    );
  });
});
