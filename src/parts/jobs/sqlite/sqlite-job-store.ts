import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../../core/ground/errors.ts';
import { oldestOf } from '../job.ts';
import { createWorkListeners, type JobStore, type Leases, submittedJobs } from '../job-store.ts';
import type { UnreadableRecord } from '../job-codec.ts';
import { LONGEST_WAIT_MS, LONGEST_WEBHOOK_WAIT_MS } from '../job-limits.ts';
import { createJobRows, textOf } from './job-rows.ts';
import { type QueueLimits, UNLIMITED } from '../queue-limit.ts';
import { createPendingFileRows } from './pending-file-rows.ts';
import { createTransactions } from '../../stores/database-file.ts';
import { changes, prepareAll, type Statements } from './prepare.ts';
import { createJobRowList, createRowReader } from './read-rows.ts';
import * as rows from './rows.ts';
import { createWebhookRows } from './webhook-rows.ts';

interface StoreOptions {
  /** Opened by `openDatabase`; closed with the store. */
  readonly database: DatabaseSync;
  readonly leases: Leases;
  /** Default: none. */
  readonly queueLimits?: QueueLimits | undefined;
  /** Wall clock in Unix milliseconds, for times that clients see. */
  readonly now?: () => number;
  /** Monotonic clock in milliseconds, for leases, delays and lifetimes. Default: the wall clock. */
  readonly monotonicNow?: () => number;
  readonly onUnreadable?: (record: UnreadableRecord) => void;
}

/** Maximum number of keys that one call of `tidy` deletes: about 50 ms. */
const KEYS_AT_ONCE = 10_000;

const UNREADABLE_RECORD =
  'The record of this job cannot be read: it is damaged, or another version of the service wrote it';

/**
 * Jobs in a file of this machine, which several processes of the machine may share. Each call is one short transaction
 * that is on the disk when it returns. The calls block their thread, so the service runs them in a worker thread
 * (`open-sqlite-jobs.ts`).
 */
export function createSqliteStore(options: StoreOptions): JobStore {
  const {
    database,
    leases,
    queueLimits = UNLIMITED,
    now = Date.now,
    monotonicNow = now,
    onUnreadable = () => undefined,
  } = options;
  const sql = prepareAll(database);
  const inTransaction = createTransactions(database);
  const { read, readAll, readSome } = createRowReader({ setAside: sql.setAside, onUnreadable });
  const webhooks = createWebhookRows({ sql, read, onUnreadable });
  const jobs = createJobRows({
    sql,
    webhooks,
    leaseMs: leases.jobMs,
    queueLimits,
    now,
    monotonicNow,
    onUnreadable,
  });
  const { checkFilesNow, ...files } = createPendingFileRows({ sql, now: monotonicNow, onUnreadable });
  const { onWork, notifyWork } = createWorkListeners();
  const transactAndNotify = <T>(work: () => T): T => {
    const result = inTransaction(work);
    notifyWork(); // a job or a webhook may be ready
    return result;
  };
  const get = createGet(sql, read);

  return {
    submit: async (added, idempotency) => {
      const ids = transactAndNotify(() => jobs.submit(added, idempotency));
      return await submittedJobs(ids, added, get);
    },
    findSubmitted: async (idempotency) => {
      const ids = jobs.findSubmitted(idempotency);
      return ids && (await submittedJobs(ids, [], get));
    },
    withdraw: async (ids) => inTransaction(() => jobs.withdraw(ids)),
    get,
    list: createJobRowList(sql, readAll),
    // Runs in a transaction. Without one, such a statement returns its row before it is on the disk, and does not
    // report a full disk.
    claim: async (skippedOwners) => inTransaction(() => jobs.claim(skippedOwners)),
    heartbeat: async ({ id, token }) => changes(sql.heartbeat, monotonicNow() + leases.jobMs, id, token),
    finish: async (claim, result) => transactAndNotify(() => jobs.finish(claim, result)),
    fail: async (claim, error) => transactAndNotify(() => jobs.fail(claim, error)),
    retry: async ({ id, token }, error, afterMs) =>
      changes(sql.requeue, monotonicNow() + afterMs, textOf(error), id, token),
    giveBack: async ({ id, token }) => {
      sql.giveBack.run(id, token);
      notifyWork();
    },
    cancel: async (id) => transactAndNotify(() => jobs.cancel(id)),
    findSweepable: createFindSweepable({ sql, readSome, now, monotonicNow }),
    remove: async (id, webhook) => inTransaction(() => jobs.remove(id, webhook)),
    tidy: async () => {
      sql.probe.run();
      const { changes: dropped } = sql.dropKeys.run(monotonicNow(), KEYS_AT_ONCE);
      // Longer than any delay of a job: the clock of an earlier start was ahead.
      sql.leaseAnew.run(monotonicNow() + leases.jobMs, monotonicNow() + LONGEST_WAIT_MS);
      sql.sendNow.run(monotonicNow(), monotonicNow() + LONGEST_WEBHOOK_WAIT_MS);
      checkFilesNow();
      sql.emptyWal.get();
      return dropped === KEYS_AT_ONCE;
    },
    loseResult: async (id) => inTransaction(() => jobs.loseResult(id)),
    ...files,
    claimWebhook: async (skippedOwners) =>
      inTransaction(() => webhooks.claim(monotonicNow(), leases.webhookMs, skippedOwners)),
    endWebhook: async ({ token }) => inTransaction(() => webhooks.end(token)),
    retryWebhook: async ({ token }, afterMs) => void sql.retryWebhook.run(monotonicNow() + afterMs, token),
    giveBackWebhook: async ({ token }) => void sql.giveBackWebhook.run(token),
    counts: async () => ({
      queued: rows.countRow.parse(sql.countState.get('queued')),
      running: rows.countRow.parse(sql.countState.get('running')),
      webhooks: rows.countRow.parse(sql.countWebhooks.get()),
    }),
    onWork,
    [Symbol.asyncDispose]: async () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Creates the function that reads a job. It throws a StorageError for a record that cannot be read. */
function createGet(sql: Statements, read: ReturnType<typeof createRowReader>['read']): JobStore['get'] {
  return async (id) => {
    const row = sql.get.get(id);
    const job = row && read(row);
    if (row !== undefined && job === undefined) throw new ServiceError('StorageError', UNREADABLE_RECORD);
    return job;
  };
}

interface FindOptions {
  readonly sql: Statements;
  readonly readSome: ReturnType<typeof createRowReader>['readSome'];
  readonly now: () => number;
  readonly monotonicNow: () => number;
}

function createFindSweepable({ sql, readSome, now, monotonicNow }: FindOptions): JobStore['findSweepable'] {
  return async ({ before, maxBytes, limit }) => {
    // Uses both clocks, so that nothing is deleted too early after a jump forward.
    const monotonicBefore = monotonicNow() - (now() - before);
    const old = readSome(() => sql.old.all(before, monotonicBefore, limit));
    const over = rows.valueRow.parse(sql.getBytes.get()) - maxBytes;
    if (over <= 0) return { old, large: [] };
    const kept = readSome(() => sql.large.all(limit));
    return { old, large: oldestOf(kept, over) };
  };
}
