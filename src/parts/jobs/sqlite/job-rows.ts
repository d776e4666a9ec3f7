import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../core/ground/errors.ts';
import { type JobError, type JobResult, type JobState, type NewJob, queuedJob, sweepableBytes } from '../job.ts';
import { unreadableReason, type UnreadableRecord } from '../job-codec.ts';
import { IDEMPOTENCY_MS } from '../job-limits.ts';
import { DEFAULT_KEY } from '../../../core/access/key.ts';
import type { Idempotency, JobClaim } from '../job-store.ts';
import { type QueueLimits, checkQueueRoom } from '../queue-limit.ts';
import { createFairOrder, type Statements } from './prepare.ts';
import * as rows from './rows.ts';
import type { WebhookRows } from './webhook-rows.ts';

interface JobRowsOptions {
  readonly sql: Statements;
  readonly webhooks: WebhookRows;
  /** Duration of a claim. */
  readonly leaseMs: number;
  readonly queueLimits: QueueLimits;
  readonly now: () => number;
  readonly monotonicNow: () => number;
  readonly onUnreadable: (record: UnreadableRecord) => void;
}

const UNREADABLE: JobError = {
  type: 'InternalServerError',
  message: 'The job store has lost the fields of this capture',
};

/** Jobs in SQLite, from submission to removal. Each function runs within the caller's transaction. */
export function createJobRows(options: JobRowsOptions) {
  const { sql, webhooks, leaseMs, now, monotonicNow, onUnreadable } = options;

  const inTurn = createFairOrder(sql.jobOwners);

  const addAll = createAddJobs(options);
  /** Deletes the fields of a job that has just ended, and adds its webhook. False if the job had ended before. */
  const afterEnd = (row: unknown): boolean => {
    if (row === undefined) return false;
    const { seq, owner, webhook_url: webhookUrl } = rows.endedRow.parse(row);
    sql.dropCapture.run(seq);
    if (webhookUrl !== null) webhooks.add(seq, owner, monotonicNow());
    return true;
  };
  const end = (
    { id, token }: JobClaim,
    state: Extract<JobState, 'done' | 'failed'>,
    { result, error }: { readonly result?: JobResult; readonly error?: JobError },
  ): boolean => {
    const values = [textOf(result), sweepableBytes(result), textOf(error)] as const;
    return afterEnd(sql.end.get(state, now(), monotonicNow(), ...values, id, token));
  };

  return {
    findSubmitted: (idempotency: Idempotency) => findSubmitted(options, idempotency),
    submit: (jobs: readonly NewJob[], idempotency?: Idempotency): readonly string[] => {
      const known = idempotency && findSubmitted(options, idempotency);
      if (known !== undefined) return known;
      addAll(jobs);
      const added = jobs.map(({ id }) => id);
      if (idempotency !== undefined) {
        const { key, fingerprint } = idempotency;
        sql.putKey.run(key, fingerprint, JSON.stringify(added), monotonicNow() + IDEMPOTENCY_MS);
      }
      return added;
    },
    withdraw: (ids: readonly string[]): void => {
      const removed = ids.flatMap((id) => sql.withdraw.all(id));
      for (const row of removed) sql.dropCapture.run(rows.seqRow.parse(row));
    },
    /** Claims the next job of the next owner. A job with unreadable fields fails, because it can never be captured. */
    claim: (skippedOwners: readonly string[] = []): JobClaim | undefined => {
      for (;;) {
        const nowMs = monotonicNow();
        const row = inTurn(nowMs, skippedOwners, (owner) => sql.nextJob.get(owner, nowMs));
        if (row === undefined) return undefined;
        const { seq, id } = rows.rowName.parse(row);
        const claimable = rows.claimRow.safeParse(row);
        if (claimable.success) {
          const { owner, attempts, store_path, traceparent, tried_once, watch, fields: capture } = claimable.data;
          const token = randomUUID();
          sql.takeJob.run(nowMs + leaseMs, token, now(), seq);
          const place = { storePath: store_path ?? undefined, traceparent: traceparent ?? undefined };
          const kind = { isTriedOnce: tried_once === 1, watch: watch ?? undefined };
          return { id, token, owner, attempts: attempts + 1, capture, ...kind, ...place };
        }
        onUnreadable({ id, reason: unreadableReason(claimable.error) });
        afterEnd(sql.endUnreadable.get(now(), nowMs, textOf(UNREADABLE), seq));
      }
    },
    finish: (claim: JobClaim, result: JobResult): boolean => {
      if (!end(claim, 'done', { result })) return false;
      sql.addBytes.run(sweepableBytes(result));
      sql.forgetFile.run(result.path);
      return true;
    },
    fail: (claim: JobClaim, error: JobError): boolean => end(claim, 'failed', { error }),
    cancel: (id: string): boolean => afterEnd(sql.cancel.get(now(), monotonicNow(), id)),
    remove: (id: string, webhook?: 'drop'): void => {
      const row = sql.getEnded.get(id);
      if (row === undefined) return;
      const { seq } = rows.rowName.parse(row);
      if (webhook === 'drop') webhooks.drop(seq);
      else webhooks.keepJobForWebhook(seq, row);
      const bytes = rows.bytesRow.parse(sql.remove.get(seq));
      if (bytes > 0) sql.addBytes.run(-bytes);
    },
    loseResult: (id: string): void => {
      const row = sql.getResultBytes.get(id);
      if (row === undefined) return;
      sql.addBytes.run(-rows.bytesRow.parse(row));
      sql.loseResult.run(id);
    },
  };
}

/** Creates the function that adds the jobs of one request. It throws an OverloadedError before it adds any. */
function createAddJobs({ sql, queueLimits, monotonicNow }: JobRowsOptions) {
  const add = (job: NewJob, fields: string): void => {
    const {
      id,
      label = null,
      storePath = null,
      webhookUrl = null,
      traceparent = null,
      pageUrl = null,
      watch = null,
    } = job;
    const { createdAt, origin, owner } = queuedJob(job);
    const bytes = Buffer.byteLength(fields);
    const values = [id, monotonicNow(), createdAt, storePath, webhookUrl, origin, owner, bytes, label, traceparent];
    const { lastInsertRowid } = sql.addJob.run(...values, pageUrl, watch, job.isTriedOnce === true ? 1 : 0);
    sql.addCapture.run(lastInsertRowid, fields);
  };
  return (jobs: readonly NewJob[]): void => {
    const fields = jobs.map(({ capture }) => JSON.stringify(capture));
    const bytes = fields.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const use = rows.queueUse.parse(sql.countQueue.get(jobs[0]?.owner ?? DEFAULT_KEY)); // a request has one owner
    checkQueueRoom(use, { jobs: jobs.length, bytes }, queueLimits);
    for (const [index, job] of jobs.entries()) add(job, fields[index] ?? '');
  };
}

/** Returns the ids of an earlier submission with the same key. */
function findSubmitted(
  { sql, monotonicNow, onUnreadable }: JobRowsOptions,
  { key, fingerprint }: Idempotency,
): readonly string[] | undefined {
  const row = sql.getKey.get(key, monotonicNow());
  if (row === undefined) return undefined;
  const known = rows.keyRow.safeParse(row);
  if (!known.success) {
    onUnreadable({ id: 'idempotency key', reason: unreadableReason(known.error) });
    return undefined; // the new request replaces the row
  }
  if (known.data.fingerprint !== fingerprint) throw new ServiceError('IdempotencyError');
  return known.data.ids;
}

export function textOf(value: JobResult | JobError | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
