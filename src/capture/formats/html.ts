import { DocumentReplacedError } from '../../browser/browser-errors.ts';
import type { Page } from '../../browser/page/page.ts';
import { findVisible } from '../common/element.ts';
import { documentSource } from '../in-page/source/document-source.ts';
import { elementSource } from '../in-page/source/element-source.ts';
import { type SourceBounds, type SourcePart, sourcePart } from '../in-page/source/source-part.ts';
import { resultTooLarge } from '../../errors.ts';
import type { Format } from './format.ts';

/** What the browser gives in one answer: each character may take six there. */
const PART_LENGTH = 400_000;

/** The document as it stands, or the outer HTML of one element. Sent so that no browser runs it in our origin. */
export const html: Format = {
  mimeType: 'text/html; charset=utf-8',
  extension: 'html',
  isPainted: false,
  isPaged: false,
  showsWholePage: true,
  headers: { 'Content-Security-Policy': 'sandbox' },
  check: () => undefined,
  checkLoaded: async () => undefined,
  render: async (page, { selector }, { maxResultBytes }) => {
    const bounds = { maxLength: maxResultBytes, partLength: PART_LENGTH };
    return { body: await readAll(page, await begin(page, selector, bounds), maxResultBytes) };
  },
};

async function begin(page: Page, selector: string | undefined, bounds: SourceBounds): Promise<SourcePart> {
  if (selector === undefined) return await page.evaluate(documentSource, { ...bounds });
  const { handle } = await findVisible(page, selector);
  return await page.callOn(handle, elementSource, { ...bounds });
}

/** A hundred megabytes at once would hold the browser and us for seconds. */
async function readAll(page: Page, { length, part }: SourcePart, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const add = (text: string): void => {
    const encoded = Buffer.from(text);
    bytes += encoded.length;
    if (bytes > maxBytes) throw resultTooLarge(maxBytes);
    parts.push(encoded);
  };
  if (length > maxBytes) throw resultTooLarge(maxBytes);
  add(part);
  for (let read = part.length; read < length;) {
    const next = await page.evaluate(sourcePart, read, PART_LENGTH);
    if (next === null || next === '') throw new DocumentReplacedError('the document that was read is gone');
    add(next);
    read += next.length;
  }
  return Buffer.concat(parts);
}
