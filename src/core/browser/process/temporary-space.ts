import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const MB = 1024 * 1024;
const LEAST_FREE = { bytes: 4 * MB, share: 0.1, mostBytes: 64 * MB, files: 100 };

/** The temporary folder has no room for the files of the browser. */
export class TemporaryFolderFullError extends Error {
  override readonly name = 'TemporaryFolderFullError';

  constructor(cause: unknown) {
    super(`the temporary folder ${tmpdir()} is full; free space there, or set TMPDIR to another folder`, {
      cause,
    });
  }
}

/**
 * Returns the error that explains a failure: a full temporary folder if there is no room, otherwise the failure itself.
 * Never rejects.
 */
export async function unlessFolderFull(failure: unknown): Promise<unknown> {
  const isFull = await isTemporaryFolderFull().catch(() => false);
  return isFull ? new TemporaryFolderFullError(failure) : failure;
}

/**
 * True if a document may not fit. The folder need not be completely full, because the browser frees the part that it
 * wrote after a failed write.
 */
async function isTemporaryFolderFull(): Promise<boolean> {
  const { bavail, blocks, bsize, files, ffree } = await statfs(tmpdir());
  const least = Math.min(Math.max(LEAST_FREE.bytes, LEAST_FREE.share * blocks * bsize), LEAST_FREE.mostBytes);
  return bavail * bsize < least || (files > 0 && ffree < LEAST_FREE.files);
}
