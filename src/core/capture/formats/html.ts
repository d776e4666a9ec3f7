import type { Page } from '../../browser/page/page.ts';
import { DocumentReplacedError } from '../../browser/browser-errors.ts';
import { chooseVisible } from '../../steps/common/element.ts';
import { chosenSource, documentSource } from './in-page/read-markup.ts';
import type { SourceBounds, SourcePart } from '../../steps/in-page/source-part.ts';
import type { Format, RenderOptions } from './format.ts';
import { PART_LENGTH, readSource } from './read-source.ts';

/** The document, or the outer HTML of elements. The response headers stop browsers from running it in our origin. */
export const html: Format = {
  mimeType: 'text/html; charset=utf-8',
  extension: 'html',
  isPainted: false,
  showsWholePage: true,
  headers: { 'Content-Security-Policy': 'sandbox' },
  check: () => undefined,
  checkLoaded: async () => undefined,
  render: async (page, options, { maxResultBytes }) => {
    const bounds = { maxLength: maxResultBytes, partLength: PART_LENGTH };
    return { body: await readSource(page, await begin(page, options, bounds), maxResultBytes) };
  },
};

async function begin(page: Page, { selector, selector_all }: RenderOptions, bounds: SourceBounds): Promise<SourcePart> {
  if (selector === undefined) return await page.evaluate(documentSource, { ...bounds });
  await chooseVisible(page, { selector, selector_all });
  const source = await page.evaluate(chosenSource, { ...bounds });
  if (source === null) throw new DocumentReplacedError('the element was removed');
  return source;
}
