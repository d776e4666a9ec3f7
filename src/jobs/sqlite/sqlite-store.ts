import { randomUUID } from 'node:crypto';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { ServiceError, validationError } from '../../errors.ts';
import { parseFields } from '../job-codec.ts';
import { type JobError, type JobResult, type NewJob, oldestOf } from '../job.ts';
import type { Idempotency, JobClaim, JobStore, Leases, WebhookClaim } from '../job-store.ts';
import { IDEMPOTENCY_MS } from '../job-limits.ts';
import * as rows from './rows.ts';
import { STATEMENTS } from './schema.ts';

interface StoreOptions {
  /** Opened by `openDatabase`; closed with the store. */
  readonly database: DatabaseSync;
  readonly leases: Leases;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/** Leases are a minute, pauses half of one. */
const LONGEST_WAIT_MS = 600_000;
/** A day, as a receiver may want, and something. */
const LONGEST_WEBHOOK_WAIT_MS = 90_000_000;

type Statements = Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

/**
 * Jobs in a file of this machine, which other processes of it may share. Each call is one short transaction that is on the
 * disk when it returns: the event loop stands for as long, some tenths of a millisecond.
 */
export function createSqliteStore({ database, leases, now = Date.now }: StoreOptions): JobStore {
  const sql = prepareAll(database);
  const listeners = new Set<() => void>();
  const tellWork = (): void => {
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
    const row = sql.getKey.get(key, now());
    if (row === undefined) return undefined;
    const known = rows.keyRow.parse(row);
    if (known.fingerprint !== fingerprint) throw new ServiceError('IdempotencyError');
    return known.ids;
  };
  const add = (job: NewJob): void => {
    const { id, storePath = null, webhookUrl = null, origin } = job;
    const { lastInsertRowid } = sql.addJob.run(id, now(), now(), storePath, webhookUrl, origin);
    sql.addCapture.run(lastInsertRowid, JSON.stringify(job.capture));
  };

  /** What every end has in common, within its transaction. False when the row was not there to be ended. */
  const afterEnd = (row: unknown): boolean => {
    if (row === undefined) return false;
    const { seq, webhook_url: webhookUrl } = rows.endedRow.parse(row);
    sql.dropCapture.run(seq);
    if (webhookUrl !== null) sql.addWebhook.run(seq, now());
    return true;
  };
  const end = (
    { id, token }: JobClaim,
    { result, error, ownBytes = 0 }: { result?: JobResult; error?: JobError; ownBytes?: number },
  ): boolean => {
    const state = result === undefined ? 'failed' : 'done';
    const texts = [textOf(result), ownBytes, textOf(error)] as const;
    const ended = inTransaction(() => {
      const isEnded = afterEnd(sql.end.get(state, now(), ...texts, id, token));
      if (isEnded && ownBytes > 0) sql.addBytes.run(ownBytes);
      return isEnded;
    });
    tellWork(); // of a webhook
    return ended;
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
          sql.putKey.run(key, fingerprint, JSON.stringify(added), now() + IDEMPOTENCY_MS);
        }
        return added;
      });
      tellWork();
      return ids;
    },
    get: async (id) => {
      const row = sql.get.get(id);
      return row === undefined ? undefined : rows.readJob(row).job;
    },
    list: async (state, { cursor, limit }) => {
      if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw validationError('cursor: is not known');
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
      const found = sql.list.all(state, before, limit + 1).map(rows.readJob);
      const page = found.slice(0, limit);
      return {
        jobs: page.map(({ job }) => job),
        next: found.length > limit ? String(page.at(-1)?.seq) : undefined,
      };
    },
    // On its own such a statement gives its row before it is on the disk, and then says nothing of a disk that is full.
    claim: async () => inTransaction(() => claimJob(sql, now(), leases.jobMs)),
    heartbeat: async ({ id, token }) => changes(sql.heartbeat, now() + leases.jobMs, id, token),
    finish: async (claim, result) =>
      end(claim, { result, ownBytes: claim.storePath === undefined ? result.bytes : 0 }),
    fail: async (claim, error) => end(claim, { error }),
    retry: async ({ id, token }, error, afterMs) =>
      changes(sql.requeue, now() + afterMs, textOf(error), id, token),
    giveBack: async ({ id, token }) => {
      sql.giveBack.run(id, token);
      tellWork();
    },
    cancel: async (id) => {
      const isCancelled = inTransaction(() => afterEnd(sql.cancel.get(now(), id)));
      tellWork();
      return isCancelled;
    },
    findSweepable: async ({ before, maxBytes, limit }) => {
      const old = sql.old.all(before, limit).map((row) => rows.readJob(row).job);
      const over = rows.valueRow.parse(sql.getBytes.get()) - maxBytes;
      if (over <= 0) return { old, large: [] };
      const kept = sql.large.all(limit).map((row) => rows.readJob(row).job);
      return { old, large: oldestOf(kept, over) };
    },
    remove: async (id) => {
      inTransaction(() => {
        const row = sql.remove.get(id);
        if (row === undefined) return;
        const { seq, result_bytes: bytes } = rows.bytesRow.parse(row);
        sql.dropWebhook.run(seq);
        if (bytes > 0) sql.addBytes.run(-bytes);
      });
    },
    tidy: async () => {
      sql.dropKeys.run(now());
      // Nothing waits so long by itself: the clock was set back, and what was due would wait until it is there again.
      sql.leaseAnew.run(now() + leases.jobMs, now() + LONGEST_WAIT_MS);
      sql.sendNow.run(now(), now() + LONGEST_WEBHOOK_WAIT_MS);
    },
    loseResult: async (id) => {
      inTransaction(() => {
        const row = sql.getResultBytes.get(id);
        if (row === undefined) return;
        sql.addBytes.run(-rows.bytesRow.parse(row).result_bytes);
        sql.loseResult.run(id);
      });
    },
    claimWebhook: async () => inTransaction(() => claimWebhook(sql, now(), leases.webhookMs)),
    endWebhook: async ({ id, token }) => {
      sql.endWebhook.run(id, token);
    },
    retryWebhook: async ({ id, token }, afterMs) => {
      sql.retryWebhook.run(now() + afterMs, id, token);
    },
    counts: async () => {
      const countOf = (state: string): number => rows.countRow.parse(sql.countState.get(state));
      const webhooks = rows.countRow.parse(sql.countWebhooks.get());
      return { queued: countOf('queued'), running: countOf('running'), webhooks };
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

function claimJob(sql: Statements, nowMs: number, leaseMs: number): JobClaim | undefined {
  const token = randomUUID();
  const row = sql.claim.get(nowMs + leaseMs, token, nowMs, nowMs);
  if (row === undefined) return undefined;
  const { seq, id, attempts, store_path: storePath } = rows.claimRow.parse(row);
  const { fields } = rows.fieldsRow.parse(sql.getCapture.get(seq));
  return { id, token, attempts, capture: parseFields(fields), storePath: storePath ?? undefined };
}

function claimWebhook(sql: Statements, nowMs: number, leaseMs: number): WebhookClaim | undefined {
  const token = randomUUID();
  const row = sql.claimWebhook.get(nowMs + leaseMs, token, nowMs);
  if (row === undefined) return undefined;
  const { seq, attempts } = rows.webhookRow.parse(row);
  const { id, webhook_url: url } = rows.webhookJobRow.parse(sql.getWebhookJob.get(seq));
  return { id, token, url, attempts };
}

function prepareAll(database: DatabaseSync): Statements {
  const prepared = Object.entries(STATEMENTS).map(([name, text]) => [name, database.prepare(text)]);
  return Object.fromEntries(prepared);
}

function textOf(value: JobResult | JobError | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Whether there was a row to be changed. */
function changes(statement: StatementSync, ...values: SQLInputValue[]): boolean {
  return statement.run(...values).changes > 0;
}
