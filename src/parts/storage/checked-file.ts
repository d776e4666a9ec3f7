import { StorageProblem } from '../../core/ground/errors.ts';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StoredFile } from './storage.ts';
import { toStorageError } from './storage-problem.ts';

/** Maximum number of bytes that are held back until the whole file was compared. */
export const HELD_BYTES = 1_048_576;

interface Written {
  readonly bytes: number;
  /** Hash in base64url. */
  readonly sha256: string;
}

/**
 * Compares the bytes of a stored file with the written ones. Files up to a megabyte are compared completely before this
 * resolves. The stream of a larger file ends with an error before its last megabyte. The caller reads the body to its
 * end, or destroys it.
 * @throws ServiceError StorageError if the storage returns other bytes.
 */
export async function checkFile(file: StoredFile, written: Written): Promise<StoredFile> {
  try {
    return { ...file, body: await checkedBody(file, written) };
  } catch (error) {
    file.body.destroy();
    throw toStorageError(error);
  }
}

async function checkedBody(file: StoredFile, written: Written): Promise<Readable> {
  if (file.bytes !== written.bytes) throw otherBytes();
  const pieces = checkedPieces(file.body, written);
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<Buffer> {
    if (first.done !== true) yield first.value;
    yield* pieces;
  };
  const body = Readable.from(all(), { objectMode: false });
  body.once('close', () => file.body.destroy());
  return body;
}

async function* checkedPieces(body: Readable, { bytes, sha256 }: Written): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const held: Buffer[] = [];
  let [heldBytes, seenBytes] = [0, 0];
  for await (const piece of body) {
    const chunk: Buffer = piece;
    hash.update(chunk);
    held.push(chunk);
    heldBytes += chunk.length;
    seenBytes += chunk.length;
    while (heldBytes > HELD_BYTES) {
      const next = held.shift();
      if (next === undefined) break;
      heldBytes -= next.length;
      yield next;
    }
  }
  if (seenBytes !== bytes || hash.digest('base64url') !== sha256) throw otherBytes();
  yield* held;
}

function otherBytes(): StorageProblem {
  return new StorageProblem('the stored bytes differ from the result', { isRetryable: false });
}
