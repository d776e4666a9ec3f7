import { access, constants, open, realpath, stat } from 'node:fs/promises';

/** The kind of file at the path of a program. */
export type ProgramFile =
  { readonly kind: 'missing' | 'not-executable' } | { readonly kind: 'script' | 'binary'; readonly path: string };

/**
 * Reads the file behind all links. Detects scripts by their first bytes, because Debian's /usr/bin/chromium is a script
 * that stays the parent of the browser: killing it leaves the whole browser behind (measured 2026-11, Chromium 156).
 * Returns the path of the file, never of a link.
 */
export async function readProgramFile(path: string): Promise<ProgramFile> {
  const file = await realpath(path).catch(() => undefined); // a dangling link counts as no file
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
  // A program can be executable but not readable. Then it is no script, because scripts must be read to run.
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.subarray(0, bytesRead).toString('latin1') === '#!';
  } finally {
    await file.close();
  }
}
