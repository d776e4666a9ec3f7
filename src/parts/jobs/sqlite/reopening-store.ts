import { randomUUID } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { StorageProblem } from '../../../core/ground/errors.ts';
import { createMutex } from '../../../core/ground/mutex.ts';
import type { Call } from '../../../core/processes/peer-calls.ts';
import { describeProblem, isBusy, needsReopening } from '../../stores/database-problem.ts';
import { asError, monotonicMs } from '../../../core/ground/timeouts.ts';
import type { JobStore, Leases } from '../job-store.ts';
import type { QueueLimits } from '../queue-limit.ts';
import { DATABASE_FILE, openDatabase } from './open-database.ts';
import type { UnreadableRecord } from '../job-codec.ts';
import { createSqliteStore } from './sqlite-job-store.ts';
import { valueRow } from './rows.ts';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;
/**
 * Longest wait of a call before it begins. Less than the limit of `guardStore`, so that a call that is refused as late
 * has changed nothing.
 */
const BEGIN_LIMIT_MS = 4_000;
/** Delay between two tries for a lock that another process holds. Reads continue meanwhile. */
const BUSY_DELAY_MS = 20;
const LATE =
  'the job store did not begin this call in time: another program holds the lock of jobs.sqlite in DATA_DIR, or its disk is slow';
/** Calls that only read. They wait for no write, and so for no lock. */
const READS: readonly string[] = ['get', 'list', 'findSweepable', 'dueFiles', 'counts'];

export interface StoreSettings {
  readonly folder: string;
  readonly leases: Leases;
  /** Default: none. */
  readonly queueLimits?: QueueLimits | undefined;
  /** Longest time in milliseconds that a call may wait before it begins. */
  readonly beginLimitMs?: number;
}

interface ReopeningOptions extends StoreSettings {
  readonly onWork: () => void;
  readonly onUnreadable: (record: UnreadableRecord) => void;
}

/**
 * Runs calls of the store. Opens it when a call needs it, and again after its file failed or was replaced, with
 * exponential backoff.
 */
export function createReopeningStore(options: ReopeningOptions) {
  const { folder, leases, queueLimits, beginLimitMs = BEGIN_LIMIT_MS, onWork, onUnreadable } = options;
  /** Writes run in the order of their arrival. */
  const serialized = createMutex();
  let store: JobStore | undefined;
  let openedFile: Stats | undefined;
  let failure: Error | undefined;
  let [retryAtMs, delayMs] = [0, FIRST_RETRY_MS];

  const statFile = (): Stats | undefined => statSync(join(folder, DATABASE_FILE), { throwIfNoEntry: false });
  /** False if the file was removed, replaced or truncated: SQLite would continue with the pages in its memory. */
  const isFileWhole = (): boolean => {
    const found = statFile();
    if (found?.ino !== openedFile?.ino || (found?.size ?? 0) < (openedFile?.size ?? 0)) return false;
    openedFile = found;
    return true;
  };
  const close = async (): Promise<void> => {
    const closing = store;
    store = undefined;
    await closing?.[Symbol.asyncDispose]();
  };
  const open = async (): Promise<JobStore> => {
    const database = await openDatabase(folder);
    try {
      const monotonicNow = createMonotonicClock(database);
      const opened = createSqliteStore({ database, leases, queueLimits, monotonicNow, onUnreadable });
      opened.onWork(onWork);
      return opened;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  const current = async (): Promise<JobStore> => {
    if (store !== undefined && !isFileWhole()) await close();
    if (store !== undefined) return store;
    if (failure !== undefined && performance.now() < retryAtMs) throw failure;
    try {
      store = await open();
      openedFile = statFile();
      [failure, delayMs] = [undefined, FIRST_RETRY_MS];
      return store;
    } catch (error) {
      if (isBusy(error)) throw error;
      failure = asError(error);
      retryAtMs = performance.now() + delayMs;
      delayMs = Math.min(delayMs * 2, LONGEST_RETRY_MS);
      throw error;
    }
  };

  /** Tries again while another process holds the lock. */
  const run = async ({ name, args, sentAtMs }: Call): Promise<unknown> => {
    for (;;) {
      if (monotonicMs() > sentAtMs + beginLimitMs) throw new StorageProblem(LATE, { isRetryable: true });
      try {
        const opened = await current();
        return await Reflect.apply(Reflect.get(opened, name), opened, args);
      } catch (error) {
        if (needsReopening(error)) await close();
        if (!isBusy(error)) throw describeProblem(error, DATABASE_FILE);
      }
      await delay(BUSY_DELAY_MS);
    }
  };

  return {
    /** @throws StorageProblem; ServiceError of the store */
    run: (call: Call): Promise<unknown> => (READS.includes(call.name) ? run(call) : serialized(() => run(call))),
    close: () => serialized(close),
  };
}

const PREFIX = 'clock of ';

/**
 * Returns a clock in Unix milliseconds that runs evenly when the wall clock jumps. The database stores its offset until
 * the machine restarts. So all processes that share the jobs have the same clock, even if they start after a jump.
 */
export function createMonotonicClock(database: DatabaseSync): () => number {
  const name = `${PREFIX}${bootId()}`;
  const find = database.prepare('SELECT value FROM totals WHERE name = ?');
  // Replaces a value that cannot be read, because it would stop all jobs.
  if (!valueRow.safeParse(find.get(name)).success) {
    database.prepare('DELETE FROM totals WHERE name GLOB ?').run(`${PREFIX}*`);
    database.prepare('INSERT OR IGNORE INTO totals VALUES (?, ?)').run(name, Date.now() - monotonicMs());
  }
  const offsetMs = valueRow.parse(find.get(name));
  return () => offsetMs + monotonicMs();
}

/** Returns an id that changes with each start of the machine, when the monotonic clock restarts. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return randomUUID(); // not Linux: a random id, so each connection starts a clock of its own
  }
}
