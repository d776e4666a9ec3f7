import type { Page } from '../../browser/page/page.ts';
import { findVisible } from '../../steps/common/element.ts';
import { documentSource, elementSource } from './in-page/read-markup.ts';
import type { SourceBounds, SourcePart } from '../../steps/in-page/source-part.ts';
import type { Format } from './format.ts';
import { PART_LENGTH, readSource } from './read-source.ts';

/** The document, or the outer HTML of an element. The response headers stop browsers from running it in our origin. */
export const html: Format = {
  mimeType: 'text/html; charset=utf-8',
  extension: 'html',
  isPainted: false,
  showsWholePage: true,
  headers: { 'Content-Security-Policy': 'sandbox' },
  check: () => undefined,
  checkLoaded: async () => undefined,
  render: async (page, { selector }, { maxResultBytes }) => {
    const bounds = { maxLength: maxResultBytes, partLength: PART_LENGTH };
    return { body: await readSource(page, await begin(page, selector, bounds), maxResultBytes) };
  },
};

async function begin(page: Page, selector: string | undefined, bounds: SourceBounds): Promise<SourcePart> {
  if (selector === undefined) return await page.evaluate(documentSource, { ...bounds });
  const { handle } = await findVisible(page, selector);
  return await page.callOn(handle, elementSource, { ...bounds });
}
