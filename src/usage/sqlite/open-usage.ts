import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicMs } from '../../timeouts.ts';
import { createSqliteUsage, type SqliteUsage } from './sqlite-usage.ts';

export interface OpenedUsage extends SqliteUsage {
  readonly close: () => void;
}

/** Time limit for the lock of another process. It blocks only the worker thread. */
const BUSY_TIMEOUT_MS = 500;

/**
 * Opens `usage.sqlite` in this folder, and creates both if they do not exist. Without a folder, the database is in memory. The file is not
 * part of `jobs.sqlite`: a service may have no jobs, and a long transaction of the jobs must not delay captures.
 * @throws Error of the system or of SQLite
 */
export async function openUsage(folder: string | undefined): Promise<OpenedUsage> {
  const { DatabaseSync } = await import('node:sqlite'); // loading takes 2 ms, only for services with keys
  const path = folder === undefined ? ':memory:' : join(folder, 'usage.sqlite');
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    if (folder !== undefined) chmodSync(path, 0o600);
    // NORMAL: a write survives `kill -9` of the process. Only a power failure may lose the last seconds.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const usage = createSqliteUsage({ database, now: Date.now, steadyNow: monotonicMs });
    return { ...usage, close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}
