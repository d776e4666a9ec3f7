import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { SCHEMA, SCHEMA_VERSION, SET_ASIDE } from './schema.ts';

const FILE = 'jobs.sqlite';
/** For what another process of this machine is writing, which takes less than one: the event loop stands meanwhile. */
const BUSY_TIMEOUT_MS = 250;

/**
 * Opens the jobs of a folder, and makes both where they are not there yet. Only its user may read the file: the secrets of jobs that wait
 * are in it. The caller closes it.
 * @throws Error with a sentence for a folder that can't be used.
 */
export async function openDatabase(folder: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite'); // 2 ms, for those who have jobs
  const path = join(folder, FILE);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    chmodSync(path, 0o600);
    // FULL: what is taken is on the disk before the client is told. What is deleted is overwritten: there may have been secrets in it.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    checkVersion(database);
    database.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    database.exec(`PRAGMA temp_store = MEMORY; ${SET_ASIDE}; PRAGMA wal_checkpoint(TRUNCATE)`);
    return database;
  } catch (error) {
    throw new Error(`DATA_DIR: the jobs in ${path} can not be opened: ${String(error)}`, { cause: error });
  }
}

function checkVersion(database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version <= SCHEMA_VERSION) return;
  throw new Error(`it was written by a newer version of this service (${version})`);
}
