import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { ServiceError, validationError } from '../../errors.ts';
import { type JobError, type JobResult, type NewJob, oldestOf } from '../job.ts';
import type { Idempotency, JobClaim, JobStore, Leases } from '../job-store.ts';
import { reasonOf, type UnreadableRecord } from '../job-codec.ts';
import { IDEMPOTENCY_MS, LONGEST_WAIT_MS, LONGEST_WEBHOOK_WAIT_MS } from '../job-limits.ts';
import { createPendingFiles } from './pending-files.ts';
import { changes, prepareAll } from './prepare.ts';
import { createRowReader } from './read-rows.ts';
import * as rows from './rows.ts';
import { createWebhookRows } from './webhook-rows.ts';

interface StoreOptions {
  /** Opened by `openDatabase`; closed with the store. */
  readonly database: DatabaseSync;
  readonly leases: Leases;
  /** Wall clock in Unix milliseconds, for times that clients see. */
  readonly now?: () => number;
  /** Steady clock in milliseconds, for leases, delays and lifetimes. Default: the wall clock. */
  readonly steadyNow?: () => number;
  readonly onUnreadable?: (record: UnreadableRecord) => void;
}

/** Keys that one call of `tidy` deletes: about 50 ms. */
const KEYS_AT_ONCE = 10_000;

const UNREADABLE: JobError = {
  type: 'InternalServerError',
  message: 'The job store has lost the fields of this capture',
};

const UNREADABLE_RECORD =
  'The record of this job cannot be read: it is damaged, or another version of the service wrote it';

/**
 * Jobs in a file of this machine, which other processes of it may share. Each call is one short transaction that is on the disk when it
 * returns. The calls block their thread: the service runs them in a worker thread (`open-store.ts`).
 */
export function createSqliteStore(options: StoreOptions): JobStore {
  const { database, leases, now = Date.now, steadyNow = now, onUnreadable = () => undefined } = options;
  const sql = prepareAll(database);
  const { read, readAll, readSome } = createRowReader({ setAside: sql.setAside, onUnreadable });
  const webhooks = createWebhookRows({ sql, read, onUnreadable });
  const { checkFilesNow, ...files } = createPendingFiles({ sql, now: steadyNow, onUnreadable });
  const listeners = new Set<() => void>();
  const notifyWork = (): void => {
    for (const listener of listeners) listener();
  };

  const inTransaction = <T>(work: () => T): T => {
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

  const knownIds = ({ key, fingerprint }: Idempotency): readonly string[] | undefined => {
    const row = sql.getKey.get(key, steadyNow());
    if (row === undefined) return undefined;
    const known = rows.keyRow.safeParse(row);
    if (!known.success) {
      onUnreadable({ id: 'idempotency key', reason: reasonOf(known.error) });
      return undefined; // the new request replaces the row
    }
    if (known.data.fingerprint !== fingerprint) throw new ServiceError('IdempotencyError');
    return known.data.ids;
  };
  const add = (job: NewJob): void => {
    const { id, storePath = null, webhookUrl = null, origin } = job;
    const { lastInsertRowid } = sql.addJob.run(id, steadyNow(), now(), storePath, webhookUrl, origin);
    sql.addCapture.run(lastInsertRowid, JSON.stringify(job.capture));
  };

  /** Completes the end of a job within its transaction. False if there was no row to end. */
  const afterEnd = (row: unknown): boolean => {
    if (row === undefined) return false;
    const { seq, webhook_url: webhookUrl } = rows.endedRow.parse(row);
    sql.dropCapture.run(seq);
    if (webhookUrl !== null) webhooks.add(seq, steadyNow());
    return true;
  };
  const end = (
    { id, token }: JobClaim,
    { result, error }: { result?: JobResult; error?: JobError },
  ): boolean => {
    const state = result === undefined ? 'failed' : 'done';
    const bytes = result?.bytes ?? 0;
    const values = [textOf(result), bytes, textOf(error)] as const;
    const ended = inTransaction(() => {
      const isEnded = afterEnd(sql.end.get(state, now(), steadyNow(), ...values, id, token));
      if (isEnded && result !== undefined) {
        sql.addBytes.run(bytes);
        sql.forgetFile.run(result.path);
      }
      return isEnded;
    });
    notifyWork(); // about a webhook
    return ended;
  };

  /** Claims the next job. A job with unreadable fields fails, because it can never be captured. */
  const claimNext = (): JobClaim | undefined => {
    for (;;) {
      const nowMs = steadyNow();
      const row = sql.nextJob.get(nowMs);
      if (row === undefined) return undefined;
      const { seq, id } = rows.rowName.parse(row);
      const claimable = rows.claimRow.safeParse(row);
      if (claimable.success) {
        const { attempts, store_path: storePath, fields: capture } = claimable.data;
        const token = randomUUID();
        sql.takeJob.run(nowMs + leases.jobMs, token, now(), seq);
        return { id, token, attempts: attempts + 1, capture, storePath: storePath ?? undefined };
      }
      onUnreadable({ id, reason: reasonOf(claimable.error) });
      afterEnd(sql.endUnreadable.get(now(), nowMs, textOf(UNREADABLE), seq));
    }
  };

  return {
    submit: async (jobs, idempotency) => {
      const ids = inTransaction(() => {
        const known = idempotency && knownIds(idempotency);
        if (known !== undefined) return known;
        for (const job of jobs) add(job);
        const added = jobs.map(({ id }) => id);
        if (idempotency !== undefined) {
          const { key, fingerprint } = idempotency;
          sql.putKey.run(key, fingerprint, JSON.stringify(added), steadyNow() + IDEMPOTENCY_MS);
        }
        return added;
      });
      notifyWork();
      return ids;
    },
    withdraw: async (ids) =>
      inTransaction(() => {
        const removed = ids.flatMap((id) => sql.withdraw.all(id));
        for (const row of removed) sql.dropCapture.run(rows.seqRow.parse(row));
      }),
    get: async (id) => {
      const row = sql.get.get(id);
      const job = row && read(row);
      if (row !== undefined && job === undefined) throw new ServiceError('StorageError', UNREADABLE_RECORD);
      return job;
    },
    list: async (state, { cursor, limit }) => {
      if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
        throw validationError('cursor: must be a next_cursor of the same list');
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
      const found = sql.list.all(state, before, limit + 1);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        jobs: readAll(page),
        next: found.length > limit && last !== undefined ? String(rows.seqRow.parse(last)) : undefined,
      };
    },
    // Without a transaction, such a statement returns its row before it is on the disk, and reports no full disk.
    claim: async () => inTransaction(claimNext),
    heartbeat: async ({ id, token }) => changes(sql.heartbeat, steadyNow() + leases.jobMs, id, token),
    finish: async (claim, result) => end(claim, { result }),
    fail: async (claim, error) => end(claim, { error }),
    retry: async ({ id, token }, error, afterMs) =>
      changes(sql.requeue, steadyNow() + afterMs, textOf(error), id, token),
    giveBack: async ({ id, token }) => {
      sql.giveBack.run(id, token);
      notifyWork();
    },
    cancel: async (id) => {
      const isCancelled = inTransaction(() => afterEnd(sql.cancel.get(now(), steadyNow(), id)));
      notifyWork();
      return isCancelled;
    },
    findSweepable: async ({ before, maxBytes, limit }) => {
      // By both clocks: after a jump forward, nothing is deleted before its time.
      const steadyBefore = steadyNow() - (now() - before);
      const old = readSome(() => sql.old.all(before, steadyBefore, limit));
      const over = rows.valueRow.parse(sql.getBytes.get()) - maxBytes;
      if (over <= 0) return { old, large: [] };
      const kept = readSome(() => sql.large.all(limit));
      return { old, large: oldestOf(kept, over) };
    },
    remove: async (id, webhook) => {
      inTransaction(() => {
        const row = sql.getEnded.get(id);
        if (row === undefined) return;
        const { seq } = rows.rowName.parse(row);
        if (webhook === 'drop') webhooks.drop(seq);
        else webhooks.keepJobForWebhook(seq, row);
        const bytes = rows.bytesRow.parse(sql.remove.get(seq));
        if (bytes > 0) sql.addBytes.run(-bytes);
      });
    },
    tidy: async () => {
      sql.probe.run();
      const { changes: dropped } = sql.dropKeys.run(steadyNow(), KEYS_AT_ONCE);
      // No job waits for that long: the clock of an earlier start was ahead.
      sql.leaseAnew.run(steadyNow() + leases.jobMs, steadyNow() + LONGEST_WAIT_MS);
      sql.sendNow.run(steadyNow(), steadyNow() + LONGEST_WEBHOOK_WAIT_MS);
      checkFilesNow();
      sql.emptyWal.get();
      return dropped === KEYS_AT_ONCE;
    },
    loseResult: async (id) => {
      inTransaction(() => {
        const row = sql.getResultBytes.get(id);
        if (row === undefined) return;
        sql.addBytes.run(-rows.bytesRow.parse(row));
        sql.loseResult.run(id);
      });
    },
    ...files,
    claimWebhook: async () => inTransaction(() => webhooks.claim(steadyNow(), leases.webhookMs)),
    endWebhook: async ({ token }) => {
      inTransaction(() => webhooks.end(token));
    },
    retryWebhook: async ({ token }, afterMs) => {
      sql.retryWebhook.run(steadyNow() + afterMs, token);
    },
    counts: async () => {
      const countOf = (state: string): number => rows.countRow.parse(sql.countState.get(state));
      return {
        queued: countOf('queued'),
        running: countOf('running'),
        webhooks: rows.countRow.parse(sql.countWebhooks.get()),
      };
    },
    onWork: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    [Symbol.asyncDispose]: async () => {
      if (database.isOpen) database.close();
    },
  };
}

function textOf(value: JobResult | JobError | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
