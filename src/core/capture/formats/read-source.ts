import { DocumentReplacedError } from '../../browser/browser-errors.ts';
import type { Page } from '../../browser/page/page.ts';
import { resultTooLarge } from '../../ground/errors.ts';
import { type SourcePart, sourcePart } from '../../steps/in-page/source-part.ts';

/** Characters per answer. Each character may take six bytes in JSON. */
export const PART_LENGTH = 400_000;

/**
 * Returns a text of the page of which the first part is given. Reads it in parts, because a hundred megabytes at once
 * would block the browser and the service for seconds.
 * @throws ServiceError ResultTooLargeError; DocumentReplacedError if the document was replaced
 */
export async function readSource(page: Page, { length, part }: SourcePart, maxBytes: number): Promise<Buffer> {
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
    if (next === null || next === '') throw new DocumentReplacedError('the document has been replaced');
    add(next);
    read += next.length;
  }
  return Buffer.concat(parts);
}
