import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 65_536;

/**
 * Reads a file. Undefined if it has more bytes. The size of a device or a pipe is known only while it is read:
 * `/dev/zero` filled the memory.
 * @throws Error of the file system
 */
export function readAtMost(path: string, maxBytes: number): Buffer | undefined {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let bytes = 0; ;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks);
      bytes += read;
      if (bytes > maxBytes) return undefined;
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}
