import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { createTransactions, openDatabaseFile, readVersion } from '../stores/database-file.ts';
import { monotonicMs } from '../../core/ground/timeouts.ts';
import { COUNTERS, type DayUsage, oldestDay } from './usage-days.ts';
import { type Reservation, RESERVATION_MS, type Standing, type UsageBatch } from './usage-store.ts';

const NAMES = COUNTERS.join(', ');

/** `held` are the reservations, and `batches` are the batches that were written in the last minutes. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS days (
    key TEXT NOT NULL, day TEXT NOT NULL, ${COUNTERS.map((name) => `${name} INTEGER NOT NULL`).join(', ')},
    PRIMARY KEY (key, day)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS days_by_day ON days (day);
  CREATE TABLE IF NOT EXISTS held (
    key TEXT NOT NULL, period TEXT NOT NULL, id TEXT NOT NULL, ends_at INTEGER NOT NULL,
    PRIMARY KEY (key, period, id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS batches (id TEXT PRIMARY KEY, ends_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS batches_by_end ON batches (ends_at);
`;
/** Time for which a repeated batch is recognized. */
const BATCH_MS = 3_600_000;

const standingRow = z.object({ used: z.number(), held: z.number() });
const dayRow = z.object({
  date: z.string(),
  captures: z.number(),
  cached: z.number(),
  failed: z.number(),
  jobs: z.number(),
  bytes: z.number(),
});

/**
 * Methods of the store, synchronous. They run in the worker thread for a file, and in this thread for a database in
 * memory.
 */
export interface SqliteUsage {
  readonly reserve: (reservation: Reservation, limit: number) => Standing & { readonly isTaken: boolean };
  readonly standing: (key: string, period: string) => Standing;
  readonly renew: (reservations: readonly Reservation[]) => void;
  readonly write: (batch: UsageBatch) => void;
  readonly read: (key: string, from: string, to: string) => readonly DayUsage[];
}

interface SqliteUsageOptions {
  readonly database: DatabaseSync;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock that all processes with this file share. Reservations expire by it. */
  readonly monotonicNow: () => number;
}

/** Usage in a SQLite database. Creates the tables. The caller closes the database. */
export function createSqliteUsage({ database, now, monotonicNow }: SqliteUsageOptions): SqliteUsage {
  database.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
  const find = prepare(database);
  const transact = createTransactions(database);
  transact(() => {
    // The clock starts again with the machine, so older reservations may end far in the future. It is read while the
    // lock is held: otherwise reservations that another process makes meanwhile would seem to end too late.
    find.dropHeld.run(monotonicNow(), monotonicNow() + RESERVATION_MS);
    find.dropDays.run(oldestDay(now()));
  });
  // `period` is a day or the beginning of one, and `~` follows all characters of days.
  const standing = (key: string, period: string): Standing =>
    standingRow.parse(find.standing.get(key, period, `${period}~`, key, period, monotonicNow()));
  const hold = ({ key, period, id }: Reservation): void => {
    find.hold.run(key, period, id, monotonicNow() + RESERVATION_MS);
  };

  return {
    standing,
    reserve: (reservation, limit) =>
      transact(() => {
        find.dropHeld.run(monotonicNow(), monotonicNow() + RESERVATION_MS);
        const { used, held } = standing(reservation.key, reservation.period);
        const isTaken = used + held < limit;
        if (isTaken) hold(reservation);
        return { isTaken, used, held: held + Number(isTaken) };
      }),
    renew: (reservations) => transact(() => reservations.forEach(hold)),
    write: ({ id, changes }) =>
      transact(() => {
        find.dropBatches.run(now());
        if (find.addBatch.run(id, now() + BATCH_MS).changes === 0) return;
        for (const { key, day, add, ended } of changes) {
          for (const reservation of ended) find.release.run(reservation.key, reservation.period, reservation.id);
          if (COUNTERS.some((name) => add[name] !== undefined))
            find.add.run(key, day, ...COUNTERS.map((name) => add[name] ?? 0));
        }
        find.dropDays.run(oldestDay(now()));
      }),
    read: (key, from, to) => find.read.all(key, from, to).map((row) => dayRow.parse(row)),
  };
}

function prepare(database: DatabaseSync) {
  const sums = COUNTERS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ');
  return {
    standing: database.prepare(`SELECT
      (SELECT coalesce(sum(captures), 0) FROM days WHERE key = ? AND day BETWEEN ? AND ?) AS used,
      (SELECT count(*) FROM held WHERE key = ? AND period = ? AND ends_at > ?) AS held`),
    hold: database.prepare('INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?)'),
    release: database.prepare('DELETE FROM held WHERE key = ? AND period = ? AND id = ?'),
    dropHeld: database.prepare('DELETE FROM held WHERE ends_at <= ? OR ends_at > ?'),
    add: database.prepare(
      `INSERT INTO days VALUES (?, ?, ${COUNTERS.map(() => '?').join(', ')}) ON CONFLICT DO UPDATE SET ${sums}`,
    ),
    read: database.prepare(`SELECT day AS date, ${NAMES} FROM days WHERE key = ? AND day BETWEEN ? AND ? ORDER BY day`),
    dropDays: database.prepare('DELETE FROM days WHERE day < ?'),
    addBatch: database.prepare('INSERT OR IGNORE INTO batches VALUES (?, ?)'),
    dropBatches: database.prepare('DELETE FROM batches WHERE ends_at <= ?'),
  };
}

export interface OpenedUsage extends SqliteUsage {
  readonly close: () => void;
}

export const USAGE_FILE = 'usage.sqlite';
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
  const path = folder === undefined ? ':memory:' : join(folder, USAGE_FILE);
  return await openDatabaseFile({ path, timeoutMs: BUSY_TIMEOUT_MS }, findVersion, (database, version) => {
    // NORMAL: a write survives `kill -9` of the process. Only a power failure may lose the last seconds.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const usage = createSqliteUsage({ database, now: Date.now, monotonicNow: monotonicMs });
    // Only once: a full disk can still be read.
    if (version !== SCHEMA_VERSION) database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    return { ...usage, close: () => database.close() };
  });
}

function findVersion(database: DatabaseSync): number {
  return readVersion(database, SCHEMA_VERSION, `${USAGE_FILE} in DATA_DIR`);
}
