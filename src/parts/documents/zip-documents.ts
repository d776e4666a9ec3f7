import { zipSync } from 'fflate';
import { resultTooLarge } from '../../core/ground/errors.ts';

/**
 * Returns an archive of documents, without packing them again.
 * @throws ServiceError ResultTooLargeError
 */
export function zipOf(
  documents: readonly { readonly name: string; readonly body: Uint8Array }[],
  maxBytes: number,
): Buffer {
  const bytes = documents.reduce((sum, { body }) => sum + body.length, 0);
  if (bytes > maxBytes) throw resultTooLarge(maxBytes);
  const zip = zipSync(Object.fromEntries(documents.map(({ name, body }) => [name, body])), { level: 0 });
  return Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength);
}
