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

  const KEPT: Readonly<Record<string, readonly [html: string, ...texts: string[]]>> = {
    'an itinerary': ['<p>12 May 2024: we leave Rome</p><p>13 May 2024: we see Pisa</p>', 'leave Rome', 'see Pisa'],
    'a list by date': ['<ul><li>Jan 12 Rome</li><li>Feb 13 Pisa</li></ul>', 'Rome', 'Pisa'],
    'a table by date': [
      '<table><tr><th>Datum</th><th>Ort</th></tr><tr><td>12.05.2024</td><td>Markt</td></tr><tr><td>13.05.2024</td><td>Hafen</td></tr></table>',
      'Markt',
      'Hafen',
    ],
    'sentences that begin like a byline': [
      '<p>Published in 1859, it sold out in a day.</p><p>By Thursday, all was gone.</p><p>Mon, Wed and Fri: market days</p>',
      'in a day',
      'By Thursday',
      'market days',
    ],
    'opening hours': [
      '<h2>Hours</h2><p>Monday to Friday: 9–17</p><p>Sat 9–12</p><p>Sunday closed</p>',
      'Monday',
      'Sat 9',
      'closed',
    ],
    'a changelog': [
      '<h2>1.0.0</h2><p>Published 3 May 2024</p><ul><li>Updated parser</li></ul>',
      '1.0.0',
      'Updated parser',
    ],
    'notes without a full stop': [
      '<aside>Never mix bleach with vinegar</aside><div class="alert banner">Removed in version 3.1; use configure()</div>',
      'Never mix bleach',
      'use configure()',
    ],
    'a price list with links': [
      '<ul class="menu"><li><a href="/t">Tea</a> 2.50</li><li><a href="/c">Coffee</a> 3.00</li></ul>',
      'Tea',
      '3.00',
    ],
    'a list with one link': [
      '<div class="sidebar"><h2>Parts</h2><ul><li>200 g flour</li><li>3 eggs</li><li><a href="/butter">Butter</a>, 100 g</li></ul></div>',
      '200 g flour',
      '100 g',
    ],
    'works that were published': [
      '<div class="published"><h2>Works</h2><ul><li>Red Book, 1990</li></ul></div>',
      'Red Book',
    ],
    'short sentences of other scripts': [
      '<aside>塩酸と混ぜると危険です。</aside><div class="banner">本文数据截至五月一日。</div><aside><p>ห้ามผสมน้ำยาฟอกขาวกับน้ำส้มสายชูเด็ดขาด</p></aside>',
      '塩酸',
      '五月一日',
      'ห้ามผสม',
    ],
    'methods with links to their places': [
      `<div>${[1, 2, 3, 4].map((at) => `<section><h3><a href="#m${at}">Array.prototype.method${at}()</a></h3><p>Returns the element number ${at}.</p></section>`).join('')}</div>`,
      'method1()',
      'number 4',
    ],
    'files and contacts': [
      '<h2>Downloads</h2><ul><li><a href="/report.pdf">The whole report about the water of the town</a></li></ul><h2>Contact</h2><p>Email: <a href="mailto:ann@weir.example">ann@weir.example, the writer</a></p>',
      'whole report',
      'ann@weir',
    ],
  };
  it.each(Object.entries(KEPT))('has %s', async (_name, [html, ...texts]) => {
    const article = `<main><h1>The weir</h1>${`<p>${PARAGRAPH}</p>`.repeat(5)}${html}<p>${PARAGRAPH}</p></main>`;

    const { body } = await capture(service.url, { html_content: article, format: 'markdown' });

    expect(texts.filter((text) => !body.toString().includes(text))).toEqual([]);
  });

  it('has notes without links at its end', async () => {
    const html_content = `<main><h1>The weir</h1>${`<p>${PARAGRAPH}</p>`.repeat(5)}<aside>Never mix bleach with vinegar</aside><h2>Downloads</h2><p><a href="/report.pdf">The whole report</a></p></main>`;

    const { body } = await capture(service.url, { html_content, format: 'markdown' });

    expect(body.toString()).toMatch(/Never mix bleach[\s\S]*whole report/);
  });

  it('has no line with date and author above its text, and no share box', async () => {
    const html_content = `<main><h1>The weir</h1><p>By Ann Lee</p><p>Updated 5 May 2024, 10:20 am</p><div class="sharing"><h3>Share this!</h3></div>${`<p>${PARAGRAPH}</p>`.repeat(5)}<h2>More</h2><ul><li><a href="/a">Fish prices rise again in the whole valley</a></li></ul></main>`;

    const { body } = await capture(service.url, { html_content, format: 'markdown' });

    expect(body.toString()).not.toMatch(/Ann Lee|Updated|Share|More|Fish/);
  });
});
