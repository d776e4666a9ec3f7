import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { createTransactions, openDatabaseFile, readVersion } from '../../stores/database-file.ts';
import { decodeRun, decodeWatch, type Run, type Watch } from '../watch.ts';
import { type Leftovers, type Page, TAKEN_MS, type WatchCounts, type WatchLimits } from '../watch-store.ts';

/** `due` is null for a paused watch. `removed` are watches whose runs are still to be deleted. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS watches (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, due INTEGER, taken_until INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL, record TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS watches_due ON watches (due) WHERE due IS NOT NULL;
  CREATE INDEX IF NOT EXISTS watches_by_owner ON watches (owner, id);
  CREATE TABLE IF NOT EXISTS runs (
    watch TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (watch, id)
  );
  CREATE TABLE IF NOT EXISTS removed (watch TEXT PRIMARY KEY) WITHOUT ROWID;
`;

const recordRow = z.object({ record: z.string() });
const idRow = z.object({ id: z.string() });
const countRow = z.object({ count: z.number() });
const nameRow = z.object({ watch: z.string() });
const countsRow = z.object({ active: z.number(), paused: z.number() });
/** After all ids. */
const LAST = '~';

/** Methods of the store, synchronous. They run in the worker thread. */
type SqliteWatches = ReturnType<typeof createSqliteWatches>;

/** Watches in a SQLite database. Creates the tables. */
function createSqliteWatches(database: DatabaseSync) {
  database.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
  const find = prepare(database);
  const transact = createTransactions(database);
  const get = (id: string): Watch | undefined => readWatch(find.get.get(id));
  const runsOf = (watch: string, { before = LAST, limit }: Page): readonly Run[] =>
    find.runs.all(watch, before, limit).flatMap((row) => decodeRun(recordRow.parse(row).record));

  return {
    get,
    add: (watch: Watch, most: WatchLimits): boolean =>
      transact(() => {
        const { active, paused } = countsRow.parse(find.counts.get());
        const { count } = countRow.parse(find.countOwned.get(watch.owner));
        if (active + paused >= most.all || count >= most.own) return false;
        find.add.run(watch.id, watch.owner, dueOf(watch), watch.revision, JSON.stringify(watch));
        return true;
      }),
    list: (owner: string | undefined, { before = LAST, limit }: Page): readonly Watch[] => {
      const rows = owner === undefined ? find.list.all(before, limit) : find.listOwned.all(owner, before, limit);
      return rows.flatMap((row) => readWatch(row) ?? []);
    },
    replace: (watch: Watch): boolean => {
      const next = { ...watch, revision: watch.revision + 1 };
      const values = [dueOf(next), next.revision, JSON.stringify(next)] as const;
      return find.replace.run(...values, watch.id, watch.revision).changes === 1;
    },
    remove: (id: string): boolean =>
      transact(() => {
        if (find.remove.run(id).changes === 0) return false;
        find.addRemoved.run(id);
        return true;
      }),
    takeDue: (nowMs: number, untilMs: number): Watch | undefined =>
      transact(() => {
        for (;;) {
          const row = find.due.get(nowMs, nowMs, nowMs + TAKEN_MS);
          if (row === undefined) return undefined;
          find.take.run(untilMs, idRow.parse(row).id, nowMs, nowMs + TAKEN_MS);
          const watch = readWatch(row);
          if (watch !== undefined) return watch;
        }
      }),
    take: (id: string, nowMs: number, untilMs: number): boolean =>
      find.take.run(untilMs, id, nowMs, nowMs + TAKEN_MS).changes === 1,
    giveBack: (id: string): void => void find.giveBack.run(id),
    putRun: (run: Run): void => void find.putRun.run(run.watch, run.id, JSON.stringify(run)),
    getRun: (watch: string, id: string): Run | undefined => {
      const row = find.getRun.get(watch, id);
      return row && decodeRun(recordRow.parse(row).record)[0];
    },
    runs: runsOf,
    oldestOf: (watch: string, most: number): string | undefined => {
      const row = find.oldest.get(watch, most - 1);
      return row && idRow.parse(row).id;
    },
    dropRuns: (watch: string, ids: readonly string[]): void =>
      transact(() => {
        for (const id of ids) find.dropRun.run(watch, id);
      }),
    leftovers: (limit: number): Leftovers | undefined => {
      for (;;) {
        const row = find.removed.get();
        if (row === undefined) return undefined;
        const { watch } = nameRow.parse(row);
        const runs = runsOf(watch, { limit });
        if (runs.length > 0) return { watch, runs };
        find.dropRemoved.run(watch);
      }
    },
    counts: (): WatchCounts => countsRow.parse(find.counts.get()),
  };
}

function readWatch(row: unknown): Watch | undefined {
  return row === undefined ? undefined : decodeWatch(recordRow.parse(row).record)[0];
}

/** Time from which the run of a watch may begin. */
function dueOf({ nextAt, spreadMs }: Watch): number | null {
  return nextAt === null ? null : nextAt + spreadMs;
}

function prepare(database: DatabaseSync) {
  const isFree = '(taken_until <= ? OR taken_until > ?)';
  return {
    add: database.prepare('INSERT INTO watches (id, owner, due, revision, record) VALUES (?, ?, ?, ?, ?)'),
    get: database.prepare('SELECT record FROM watches WHERE id = ?'),
    list: database.prepare('SELECT record FROM watches WHERE id < ? ORDER BY id DESC LIMIT ?'),
    listOwned: database.prepare('SELECT record FROM watches WHERE owner = ? AND id < ? ORDER BY id DESC LIMIT ?'),
    replace: database.prepare('UPDATE watches SET due = ?, revision = ?, record = ? WHERE id = ? AND revision = ?'),
    remove: database.prepare('DELETE FROM watches WHERE id = ?'),
    due: database.prepare(`SELECT id, record FROM watches WHERE due <= ? AND ${isFree} ORDER BY due LIMIT 1`),
    take: database.prepare(`UPDATE watches SET taken_until = ? WHERE id = ? AND ${isFree}`),
    giveBack: database.prepare('UPDATE watches SET taken_until = 0 WHERE id = ?'),
    putRun: database.prepare('INSERT OR REPLACE INTO runs VALUES (?, ?, ?)'),
    getRun: database.prepare('SELECT record FROM runs WHERE watch = ? AND id = ?'),
    runs: database.prepare('SELECT record FROM runs WHERE watch = ? AND id < ? ORDER BY id DESC LIMIT ?'),
    oldest: database.prepare(`SELECT id FROM runs WHERE watch = ? AND json_extract(record, '$.outcome') <> 'skipped'
      ORDER BY id DESC LIMIT 1 OFFSET ?`),
    dropRun: database.prepare('DELETE FROM runs WHERE watch = ? AND id = ?'),
    addRemoved: database.prepare('INSERT OR IGNORE INTO removed VALUES (?)'),
    removed: database.prepare('SELECT watch FROM removed LIMIT 1'),
    dropRemoved: database.prepare('DELETE FROM removed WHERE watch = ?'),
    countOwned: database.prepare('SELECT count(*) AS count FROM watches WHERE owner = ?'),
    counts: database.prepare(
      'SELECT coalesce(sum(due IS NOT NULL), 0) AS active, coalesce(sum(due IS NULL), 0) AS paused FROM watches',
    ),
  };
}

export const WATCH_FILE = 'watches.sqlite';
/** Time limit for the lock of another process. It blocks only the worker thread. */
const BUSY_TIMEOUT_MS = 500;
/** Version of the tables. A newer version of this service may write others. */
const SCHEMA_VERSION = 1;

/**
 * Opens `watches.sqlite` in this folder, and creates both if they do not exist. The secrets of watches are in it.
 * @throws Error of the system or of SQLite; StorageProblem for a file of a newer version, which stays as it is
 */
export async function openWatches(folder: string): Promise<SqliteWatches & { readonly close: () => void }> {
  const file = { path: join(folder, WATCH_FILE), timeoutMs: BUSY_TIMEOUT_MS };
  return await openDatabaseFile(file, findVersion, (database, version) => {
    // FULL: a watch is on the disk before the client gets its answer. secure_delete overwrites deleted secrets.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    const watches = createSqliteWatches(database);
    if (version !== SCHEMA_VERSION) database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    return { ...watches, close: () => database.close() };
  });
}

function findVersion(database: DatabaseSync): number {
  return readVersion(database, SCHEMA_VERSION, `${WATCH_FILE} in DATA_DIR`);
}
