import { access, constants, open, realpath, stat } from 'node:fs/promises';

/** What lies at a path where a program is expected. */
export type ProgramFile =
  | { readonly kind: 'missing' | 'not-executable' }
  | { readonly kind: 'script' | 'binary'; readonly path: string };

/**
 * Looks at the file behind every link. Scripts are told apart by their first bytes, because Debian's
 * /usr/bin/chromium is one that stays as the browser's parent: killing it leaves the whole browser behind
 * (measured 2026-11, chromium 156). The returned path is the file itself, never a link to it.
 */
export async function readProgramFile(path: string): Promise<ProgramFile> {
  const file = await realpath(path).catch(() => undefined); // a dangling link is as good as no file
  if (file === undefined) return { kind: 'missing' };
  if (!(await isExecutableFile(file))) return { kind: 'not-executable' };
  return { kind: (await startsLikeScript(file)) ? 'script' : 'binary', path: file };
}

async function isExecutableFile(path: string): Promise<boolean> {
  if (!(await stat(path)).isFile()) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function startsLikeScript(path: string): Promise<boolean> {
  // A program may be executable and still unreadable to us; then it can't be a script, which must be read to run.
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.subarray(0, bytesRead).toString('latin1') === '#!';
  } finally {
    await file.close();
  }
}
