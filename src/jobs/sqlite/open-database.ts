import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { foreignFile } from './database-problem.ts';
import { createTransactions } from './prepare.ts';
import { countRow, valueRow } from './rows.ts';
import { ADDED_COLUMNS, COUNT_COLUMN, INDEXES, SCHEMA, SCHEMA_NAMES, SCHEMA_VERSION, SET_ASIDE } from './schema.ts';

export const DATABASE_FILE = 'jobs.sqlite';
/** Time limit for the lock within SQLite, which blocks the thread. Callers repeat the call. */
const BUSY_TIMEOUT_MS = 10;

/**
 * Opens the jobs of a folder, and creates the folder and the file if they do not exist. Only the user of the service
 * may read the file: the secrets of waiting jobs are in it. A file of another program, or of a newer version, stays as
 * it is. The caller closes the database.
 * @throws Error of the system or of SQLite; StorageProblem for a file that is not ours.
 */
export async function openDatabase(folder: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite'); // loading takes 2 ms, only for services with jobs
  const path = join(folder, DATABASE_FILE);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    const isComplete = checkOwner(database); // checks the file before anything writes
    chmodSync(path, 0o600);
    // FULL: a job is on the disk before the client gets its answer. secure_delete overwrites deleted content, such as
    // secrets.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    // Creates the tables only if any is missing, because a complete file can still be read on a full disk.
    if (!isComplete) createTransactions(database)(() => complete(database));
    database.exec(`PRAGMA temp_store = MEMORY; ${SET_ASIDE}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Creates the missing tables, columns and indexes. Runs in a transaction, because several processes may open an old
 * file at once.
 */
function complete(database: DatabaseSync): void {
  database.exec(SCHEMA);
  const countColumn = database.prepare(COUNT_COLUMN);
  for (const [table, name, definition] of ADDED_COLUMNS) {
    const isThere = countRow.parse(countColumn.get(table, name)) > 0;
    if (!isThere) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`);
  }
  database.exec(`${INDEXES}; PRAGMA user_version = ${SCHEMA_VERSION}`);
}

/** True if all tables and indexes exist. @throws StorageProblem for a file that is not ours. */
function checkOwner(database: DatabaseSync): boolean {
  const version = valueRow.parse(database.prepare('SELECT user_version AS value FROM pragma_user_version').get());
  if (version > SCHEMA_VERSION) {
    throw foreignFile(`was written by a newer version of this service (${version}, not ${SCHEMA_VERSION})`);
  }
  const count = (where: string): number =>
    countRow.parse(database.prepare(`SELECT count(*) AS n FROM sqlite_schema ${where}`).get());
  const names = `WHERE name IN (${SCHEMA_NAMES.map((name) => `'${name}'`).join(', ')})`;
  const isNew = version === 0 && count('') === 0;
  const isOurs = version > 0 && count(`${names} AND name IN ('jobs', 'captures', 'webhooks', 'totals')`) === 4;
  if (!isNew && !isOurs) throw foreignFile('belongs to another program');
  return count(names) === SCHEMA_NAMES.length;
}
