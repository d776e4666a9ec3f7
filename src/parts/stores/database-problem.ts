import { errorCode, StorageProblem } from '../../core/ground/errors.ts';
import { asError } from '../../core/ground/timeouts.ts';

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const BUSY = 5;
const codes = (file: string): Readonly<Record<number, string>> => ({
  [BUSY]: `another program holds the lock of ${file}. Close that program`,
  6: `another connection holds the lock of ${file}`,
  8: `${file} is read-only. Let the user of the service write it and its folder`,
  10: `${file} cannot be read or written: the disk reports an error`,
  11: `${file} is damaged. Restore it from a backup, or move it away`,
  13: 'the disk of DATA_DIR is full. Free some space',
  14: `${file} cannot be opened. It must be a file that the user of the service can write, in a folder that it can write`,
  26: `${file} is not a database of this service. Move it away, or set another DATA_DIR`,
});
const SYSTEM_CODES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk of DATA_DIR is full. Free some space',
  EDQUOT: 'the disk quota of DATA_DIR is used up. Free some space',
  EROFS: 'the disk of DATA_DIR is read-only',
  EACCES: 'DATA_DIR cannot be written by the user of the service',
  EPERM: 'DATA_DIR cannot be written by the user of the service',
  ENOTDIR: 'DATA_DIR is not a folder',
  EEXIST: 'DATA_DIR is not a folder',
};
/** Result codes after which the connection is useless. A new connection may find the file repaired or replaced. */
const FATAL: readonly number[] = [8, 10, 11, 14, 26];

/** The primary result code of SQLite; undefined for other errors. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff; // the other bits are the extended code
}

/** True while another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

/** True if the database must be opened again. */
export function needsReopening(error: unknown): boolean {
  return FATAL.includes(sqliteCode(error) ?? 0);
}

/**
 * Describes an error of the database for clients and for the log, without a path. Errors of other kinds stay as they
 * are.
 * @param file its name
 */
export function describeProblem(error: unknown, file: string): Error {
  const code = sqliteCode(error);
  const message =
    code === undefined
      ? SYSTEM_CODES[errorCode(error) ?? '']
      : (codes(`${file} in DATA_DIR`)[code] ?? `SQLite reports error ${code}`);
  return message === undefined ? asError(error) : new StorageProblem(message, { cause: error, isRetryable: true });
}
