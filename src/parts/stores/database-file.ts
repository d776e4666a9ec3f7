import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StorageProblem } from '../../core/ground/errors.ts';
import { makeFolders } from '../../core/ground/make-folders.ts';

/**
 * Opens a file, and creates the file and its folder if they do not exist. Only the user of the service may read them.
 * Closes the file again if `check` or `prepare` throws.
 * @param path `:memory:` for a database in memory
 * @param timeoutMs time limit for a lock of another process, which blocks the thread
 * @param check reads the file before anything writes, so that a file of another program stays as it is
 * @throws Error of the system or of SQLite; the errors of `check` and `prepare`
 */
export async function openDatabaseFile<Found, Opened>(
  { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
  check: (database: DatabaseSync) => Found,
  prepare: (database: DatabaseSync, found: Found) => Opened,
): Promise<Opened> {
  const { DatabaseSync } = await import('node:sqlite'); // loading takes 2 ms, only for services that need it
  const isFile = path !== ':memory:';
  if (isFile) makeFolders(dirname(path), 0o700);
  const database = new DatabaseSync(path, { timeout: timeoutMs });
  try {
    const found = check(database);
    if (isFile) chmodSync(path, 0o600);
    return prepare(database, found);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Returns the version of the tables: 0 for a new file.
 * @param name of the file for errors
 * @throws StorageProblem for a version after `newest`
 */
export function readVersion(database: DatabaseSync, newest: number, name: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version <= newest) return version;
  throw foreignFile(`was written by a newer version of this service (${version}, not ${newest})`, name);
}

/** The file was written by another program or by a newer version of the service. The service never changes it. */
export function foreignFile(what: string, name: string): StorageProblem {
  return new StorageProblem(`${name} ${what}. Move it away, or set another DATA_DIR`, { isRetryable: false });
}

/** Returns a function that runs work in a transaction, which is rolled back if the work throws. */
export function createTransactions(database: DatabaseSync): <T>(work: () => T) => T {
  return (work) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
}
