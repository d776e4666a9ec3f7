import { createHash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCode } from '../../../core/ground/errors.ts';

/** Maximum size of all lists together: parsing 5 MB takes 330 MB of memory (2026-11-22). */
export const MAX_LIST_BYTES = 33_554_432;

/** Returns why these files can't be used; undefined if they can. Contains nothing of their content. */
export function describeUnreadable(paths: readonly string[]): string | undefined {
  let bytes = 0;
  for (const path of paths) {
    try {
      accessSync(path, constants.R_OK);
      const found = statSync(path);
      // A pipe can be read only once.
      if (!found.isFile()) return `${JSON.stringify(path)} is not a file`;
      bytes += found.size;
    } catch (error) {
      return `${JSON.stringify(path)} can't be read${codeOf(error)}`;
    }
  }
  return bytes > MAX_LIST_BYTES ? `together they are larger than ${MAX_LIST_BYTES} bytes` : undefined;
}

/**
 * Returns a signature that changes when a file, a link on its path, its size or its time changes. The signature is
 * polled, because Kubernetes changes a link above the file, which file watches don't report.
 */
export async function signatureOf(paths: readonly string[]): Promise<string> {
  const facts = await Promise.all(
    paths.map(async (path) => {
      try {
        const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
        return [dev, ino, size, mtimeNs].join();
      } catch (error) {
        return codeOf(error);
      }
    }),
  );
  return createHash('sha256').update(facts.join(';')).digest('base64url');
}

/** Returns the error code in parentheses after a space. Empty without a code. */
export function codeOf(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? '' : ` (${code})`;
}
