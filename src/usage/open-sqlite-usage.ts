import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { monotonicMs } from '../timeouts.ts';
import { foreignFile } from '../jobs/sqlite/database-problem.ts';
import { createSqliteUsage, type SqliteUsage } from './sqlite-usage.ts';

export interface OpenedUsage extends SqliteUsage {
  readonly close: () => void;
}

/** Time limit for the lock of another process. It blocks only the worker thread. */
const BUSY_TIMEOUT_MS = 500;
/** Version of the tables. A newer version of this service may write others. */
const SCHEMA_VERSION = 1;

/**
 * Opens `usage.sqlite` in this folder, and creates both if they do not exist. Without a folder, the database is in
 * memory. The file is not part of `jobs.sqlite`: a service may have no jobs, and a long transaction of the jobs must
 * not delay captures.
 * @throws Error of the system or of SQLite; StorageProblem for a file of a newer version, which stays as it is
 */
export async function openUsage(folder: string | undefined): Promise<OpenedUsage> {
  const { DatabaseSync } = await import('node:sqlite'); // loading takes 2 ms, only for services with keys
  const path = folder === undefined ? ':memory:' : join(folder, 'usage.sqlite');
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    const version = readVersion(database);
    if (folder !== undefined) chmodSync(path, 0o600);
    // NORMAL: a write survives `kill -9` of the process. Only a power failure may lose the last seconds.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const usage = createSqliteUsage({ database, now: Date.now, monotonicNow: monotonicMs });
    // Only once: a full disk can still be read.
    if (version !== SCHEMA_VERSION) database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    return { ...usage, close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @throws StorageProblem for a newer version */
function readVersion(database: DatabaseSync): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version <= SCHEMA_VERSION) return version;
  const what = `was written by a newer version of this service (${version}, not ${SCHEMA_VERSION})`;
  throw foreignFile(what, 'usage.sqlite in DATA_DIR');
}
