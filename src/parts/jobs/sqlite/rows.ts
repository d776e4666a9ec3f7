import { z } from 'zod';
import { parseJson } from '../../../core/ground/parse-json.ts';
import { fieldsSchema, parseError, parseResult, stateSchema } from '../job-codec.ts';
import type { JobRecord } from '../job.ts';
import { DEFAULT_KEY } from '../../../core/access/key.ts';

const jobRow = z.object({
  id: z.string(),
  owner: z.string().default(DEFAULT_KEY), // missing in the same rows
  state: stateSchema,
  attempts: z.number(),
  created_at: z.number(),
  started_at: z.number().nullable(),
  finished_at: z.number().nullable(),
  label: z.string().nullish(), // rows that earlier versions kept for a webhook have none
  store_path: z.string().nullable(),
  traceparent: z.string().nullish(), // as for the label
  page_url: z.string().nullish(),
  watch: z.string().nullish(),
  origin: z.string(),
  result: z.string().nullable(),
  lost_result: z.number(),
  error: z.string().nullable(),
});

/** Columns that identify a row whose other columns may be unreadable. */
export const rowName = z.object({ seq: z.number(), id: z.unknown().transform(String) });
export const claimRow = z.object({
  id: z.string(),
  owner: z.string(),
  attempts: z.number(),
  store_path: z.string().nullable(),
  traceparent: z.string().nullable(),
  tried_once: z.number(),
  watch: z.string().nullable(),
  fields: z.string().transform(parseJson).pipe(fieldsSchema),
});
/** The webhook itself reports an address that cannot be read. */
export const endedRow = z.object({
  seq: z.number(),
  owner: z.unknown().transform(String),
  webhook_url: z.unknown(),
});
export const queueUse = z.object({
  jobs: z.number(),
  bytes: z.number(),
  ownJobs: z.number(),
  ownBytes: z.number(),
});
export const seqRow = z.object({ seq: z.number() }).transform(({ seq }) => seq);
export const bytesRow = z.object({ result_bytes: z.number() }).transform((row) => row.result_bytes);
export const keyRow = z.object({
  fingerprint: z.string(),
  ids: z.string().transform(parseJson).pipe(z.array(z.string())),
});
export const webhookRow = z.object({
  seq: z.number(),
  owner: z.unknown().transform(String),
  attempts: z.number(),
});
export const webhookJobRow = z.object({ id: z.string(), webhook_url: z.string(), due: z.number() });
export const recordRow = z.object({ record: z.string().transform(parseJson) });
/** Columns that identify a row of `files` whose other columns may be unreadable. */
export const fileName = z.object({ path: z.unknown().transform(String), hex: z.string() });
export const fileRow = z
  .object({ path: z.string(), job: z.string(), attempt: z.number(), recorded_at: z.number() })
  .transform(({ path, job, attempt, recorded_at }) => ({
    path,
    jobId: job,
    attempt,
    recordedAt: recorded_at,
  }));
export const countRow = z.object({ n: z.number() }).transform(({ n }) => n);
export const valueRow = z.object({ value: z.number() }).transform(({ value }) => value);

/** Reads a row of `jobs`. @throws Error for a row that this version has not written. */
export function readJob(row: unknown): JobRecord {
  const read = jobRow.parse(row);
  return {
    id: read.id,
    owner: read.owner,
    state: read.state,
    createdAt: read.created_at,
    startedAt: read.started_at ?? undefined,
    finishedAt: read.finished_at ?? undefined,
    attempts: read.attempts,
    label: read.label ?? undefined,
    pageUrl: read.page_url ?? undefined,
    watch: read.watch ?? undefined,
    storePath: read.store_path ?? undefined,
    traceparent: read.traceparent ?? undefined,
    origin: read.origin,
    result: parseResult(read.result),
    error: parseError(read.error),
    hasLostResult: read.lost_result === 1,
  };
}
