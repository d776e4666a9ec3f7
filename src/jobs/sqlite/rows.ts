import { z } from 'zod';
import { parseError, parseResult, stateSchema } from '../job-codec.ts';
import type { JobRecord } from '../job.ts';

const jobRow = z.object({
  seq: z.number(),
  id: z.string(),
  state: stateSchema,
  attempts: z.number(),
  created_at: z.number(),
  started_at: z.number().nullable(),
  finished_at: z.number().nullable(),
  store_path: z.string().nullable(),
  origin: z.string(),
  result: z.string().nullable(),
  lost_result: z.number(),
  error: z.string().nullable(),
});

export const claimRow = z.object({
  seq: z.number(),
  id: z.string(),
  attempts: z.number(),
  store_path: z.string().nullable(),
});
export const fieldsRow = z.object({ fields: z.string() });
export const endedRow = z.object({ seq: z.number(), webhook_url: z.string().nullable() });
export const bytesRow = z.object({ seq: z.number(), result_bytes: z.number() });
export const keyRow = z.object({
  fingerprint: z.string(),
  ids: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
});
export const webhookRow = z.object({ seq: z.number(), attempts: z.number() });
export const webhookJobRow = z.object({ id: z.string(), webhook_url: z.string() });
export const countRow = z.object({ n: z.number() }).transform(({ n }) => n);
export const valueRow = z.object({ value: z.number() }).transform(({ value }) => value);

/** A row of jobs as a record, and its place in the list. */
export function readJob(row: unknown): { readonly seq: number; readonly job: JobRecord } {
  const read = jobRow.parse(row);
  return {
    seq: read.seq,
    job: {
      id: read.id,
      state: read.state,
      createdAt: read.created_at,
      startedAt: read.started_at ?? undefined,
      finishedAt: read.finished_at ?? undefined,
      attempts: read.attempts,
      storePath: read.store_path ?? undefined,
      origin: read.origin,
      result: parseResult(read.result),
      error: parseError(read.error),
      hasLostResult: read.lost_result === 1,
    },
  };
}
