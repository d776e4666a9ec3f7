import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createTransactions, foreignFile, openDatabaseFile, readVersion } from '../../stores/database-file.ts';
import { countRow } from './rows.ts';
import { ADDED_COLUMNS, COUNT_COLUMN, INDEXES, SCHEMA, SCHEMA_NAMES, SCHEMA_VERSION, SET_ASIDE } from './schema.ts';

export const DATABASE_FILE = 'jobs.sqlite';
const FILE_NAME = `${DATABASE_FILE} in DATA_DIR`;
/** Time limit for the lock within SQLite, which blocks the thread. Callers repeat the call. */
const BUSY_TIMEOUT_MS = 10;

/**
 * Opens the jobs of a folder. The secrets of waiting jobs are in the file. A file of another program, or of a newer
 * version, stays as it is. The caller closes the database.
 * @throws Error of the system or of SQLite; StorageProblem for a file that is not ours.
 */
export async function openDatabase(folder: string): Promise<DatabaseSync> {
  const file = { path: join(folder, DATABASE_FILE), timeoutMs: BUSY_TIMEOUT_MS };
  return await openDatabaseFile(file, isComplete, (database, isThere) => {
    // FULL: a job is on the disk before the client gets its answer. secure_delete overwrites deleted content, such as
    // secrets.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    // Creates the tables only if any is missing, because a complete file can still be read on a full disk.
    if (!isThere) createTransactions(database)(() => complete(database));
    database.exec(`PRAGMA temp_store = MEMORY; ${SET_ASIDE}`);
    return database;
  });
}

/**
 * Creates the missing tables, columns and indexes. Runs in a transaction, because several processes may open an old
 * file at once.
 */
function complete(database: DatabaseSync): void {
  database.exec(SCHEMA);
  for (const [table, name, definition] of missingColumns(database))
    database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`);
  database.exec(`${INDEXES}; PRAGMA user_version = ${SCHEMA_VERSION}`);
}

function missingColumns(database: DatabaseSync): (typeof ADDED_COLUMNS)[number][] {
  const countColumn = database.prepare(COUNT_COLUMN);
  return ADDED_COLUMNS.filter(([table, name]) => countRow.parse(countColumn.get(table, name)) === 0);
}

/** True if all tables, columns and indexes exist. @throws StorageProblem for a file that is not ours. */
function isComplete(database: DatabaseSync): boolean {
  const version = readVersion(database, SCHEMA_VERSION, FILE_NAME);
  const count = (where: string): number =>
    countRow.parse(database.prepare(`SELECT count(*) AS n FROM sqlite_schema ${where}`).get());
  const names = `WHERE name IN (${SCHEMA_NAMES.map((name) => `'${name}'`).join(', ')})`;
  const isNew = version === 0 && count('') === 0;
  const isOurs = version > 0 && count(`${names} AND name IN ('jobs', 'captures', 'webhooks', 'totals')`) === 4;
  if (!isNew && !isOurs) throw foreignFile('belongs to another program', FILE_NAME);
  return count(names) === SCHEMA_NAMES.length && missingColumns(database).length === 0;
}
