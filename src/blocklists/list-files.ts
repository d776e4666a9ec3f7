import { createHash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Of all lists together: to parse 5 MB takes 330 MB of memory (2026-11-22), for as long as it lasts. */
export const MAX_LIST_BYTES = 33_554_432;

/** Why these files can't be taken, as words that a colon may stand before; undefined when they can. Nothing of what is in them. */
export function describeUnreadable(paths: readonly string[]): string | undefined {
  let bytes = 0;
  for (const path of paths) {
    try {
      accessSync(path, constants.R_OK);
      const found = statSync(path);
      // A pipe could be read once, and then never again.
      if (!found.isFile()) return `${JSON.stringify(path)} is no file`;
      bytes += found.size;
    } catch (error) {
      return `${JSON.stringify(path)} can not be read${codeOf(error)}`;
    }
  }
  return bytes > MAX_LIST_BYTES ? `together they are larger than ${MAX_LIST_BYTES} bytes` : undefined;
}

/**
 * What changes when one of the files does: another file behind the path or its links, another size, another time. Asked again and
 * again rather than told, because volumes of Kubernetes change a link above the file, of which a watch on the file hears nothing.
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

/** In parentheses, after a space; empty where there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}
