// Child process that makes one HTML file of a saved page.
import { type Call, serveCalls } from '../../core/processes/peer-calls.ts';
import { bundle, FileTooLargeError } from './bundle.ts';
import type { SavedPart } from './read-mhtml.ts';

serveCalls({
  run: ({ args: [mhtml, unsaved, maxBytes] }: Call<[Uint8Array, readonly SavedPart[], number]>) => {
    try {
      return bundle(
        asBuffer(mhtml),
        unsaved.map((part) => ({ ...part, body: asBuffer(part.body) })),
        maxBytes,
      );
    } catch (error) {
      if (error instanceof FileTooLargeError) return undefined;
      throw error;
    }
  },
});

/** Between processes, buffers become plain arrays of bytes. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
