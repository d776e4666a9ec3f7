import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './errors.ts';

/**
 * Creates a folder and its parents. Node's `recursive` never ends below `/proc`, and reports ENOENT on a read-only
 * disk.
 * @throws the error of the system
 */
export function makeFolders(path: string, mode = 0o777): void {
  try {
    makeFolder(path, mode);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolders(dirname(path), mode);
    makeFolder(path, mode);
  }
}

function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // another process may have been faster
    if (errorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}
