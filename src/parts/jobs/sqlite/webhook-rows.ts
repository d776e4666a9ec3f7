import { randomUUID } from 'node:crypto';
import type { JobRecord } from '../job.ts';
import type { WebhookClaim } from '../job-store.ts';
import { createFairOrder, type Statements } from './prepare.ts';
import { unreadableReason, type UnreadableRecord } from '../job-codec.ts';
import * as rows from './rows.ts';

interface WebhookOptions {
  readonly sql: Statements;
  readonly read: (row: unknown) => JobRecord | undefined;
  readonly onUnreadable: (record: UnreadableRecord) => void;
}

export type WebhookRows = ReturnType<typeof createWebhookRows>;

/** Webhooks in SQLite. Each function runs within the caller's transaction. Times are those of the monotonic clock. */
export function createWebhookRows({ sql, read, onUnreadable }: WebhookOptions) {
  const inTurn = createFairOrder(sql.webhookOwners);
  const drop = (seq: number): void => {
    sql.dropWebhook.run(seq);
    sql.dropWebhookJob.run(seq);
  };
  /** Returns the row of the job, even if the job was removed meanwhile. Undefined if there is none. */
  const findRow = (seq: number): unknown => {
    const kept = sql.getBySeq.get(seq);
    if (kept !== undefined) return kept;
    const record = rows.recordRow.safeParse(sql.getWebhookJob.get(seq));
    return record.data?.record;
  };

  return {
    add: (seq: number, owner: string, nowMs: number): void => void sql.addWebhook.run(seq, nowMs, owner),
    /**
     * Claims the webhook of the next owner that has been due for longest. Drops and reports a webhook without a
     * receiver or a job.
     */
    claim: (nowMs: number, leaseMs: number, skippedOwners: readonly string[] = []): WebhookClaim | undefined => {
      for (;;) {
        const next = inTurn(nowMs, skippedOwners, (owner) => sql.nextWebhook.get(owner, nowMs));
        if (next === undefined) return undefined;
        const { seq, owner, attempts } = rows.webhookRow.parse(next);
        const row = findRow(seq);
        const receiver = rows.webhookJobRow.safeParse(row);
        if (!receiver.success) {
          drop(seq);
          onUnreadable({ id: `webhook ${seq}`, reason: unreadableReason(receiver.error) });
          continue;
        }
        const job = read(row);
        if (job === undefined) continue; // it is set aside, and excluded from the next query
        const { id, webhook_url: url, due } = receiver.data;
        const token = randomUUID();
        sql.takeWebhook.run(nowMs + leaseMs, token, attempts + 1, seq);
        return { id, owner, token, url, attempts: attempts + 1, job, ageMs: nowMs - due };
      }
    },
    /** Deletes the webhook and the address of its receiver, which may hold a password. */
    end: (token: string): void => {
      const row = sql.endWebhook.get(token);
      if (row === undefined) return;
      const seq = rows.seqRow.parse(row);
      sql.dropWebhookJob.run(seq);
      sql.forgetWebhookUrl.run(seq);
    },
    /** Keeps a copy of the job for a webhook that is still to be sent, before the job is removed. */
    keepJobForWebhook: (seq: number, row: unknown): void => {
      if (sql.hasWebhook.get(seq) !== undefined) sql.keepForWebhook.run(seq, JSON.stringify(row));
    },
    drop,
  };
}
