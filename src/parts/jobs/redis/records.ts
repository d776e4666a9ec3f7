import type { Job } from 'bullmq';
import { z } from 'zod';
import { errorSchema, parseError, parseResult, resultSchema, stateSchema } from '../job-codec.ts';
import type { JobRecord, JobState } from '../job.ts';
import { DEFAULT_KEY } from '../../../core/access/key.ts';

/** Records of earlier versions have no owner. */
const owner = z.string().default(DEFAULT_KEY);

/** Data of a job in BullMQ. The capture fields are stored separately and removed when the job ends. */
export const workData = z.object({
  origin: z.string(),
  owner,
  label: z.string().optional(),
  pageUrl: z.string().optional(),
  watch: z.string().optional(),
  isTriedOnce: z.boolean().optional(),
  storePath: z.string().optional(),
  traceparent: z.string().optional(),
  hasLostResult: z.boolean().optional(),
});
export type WorkData = z.input<typeof workData>;

/** Owner of a job or webhook in BullMQ. Unreadable data counts as data of `default`. */
export function ownerOfData({ data }: Job): string {
  return z.object({ owner }).safeParse(data).data?.owner ?? DEFAULT_KEY;
}

/** `record`: the finished job, stored when the job itself is removed. */
export const webhookData = z.object({
  id: z.string(),
  url: z.string(),
  owner,
  record: z.string().optional(),
});

const lastError = z.object({ error: z.string() });

/** Converts a job of BullMQ to a record. */
export function toRecord(job: Job, state: JobState): JobRecord {
  const { origin, owner, label, pageUrl, watch, storePath, traceparent, hasLostResult } = workData.parse(job.data);
  const retried = lastError.safeParse(job.progress);
  const errorText = state === 'failed' ? job.failedReason : retried.data?.error;
  return {
    id: job.id ?? '',
    owner,
    state,
    createdAt: job.timestamp,
    startedAt: job.processedOn,
    finishedAt: job.finishedOn,
    attempts: job.attemptsStarted,
    label,
    pageUrl,
    watch,
    storePath,
    traceparent,
    origin,
    result: state === 'done' && hasLostResult !== true ? parseResult(z.string().parse(job.returnvalue)) : undefined,
    error: state === 'done' ? undefined : parseError(errorText),
    hasLostResult,
  };
}

const recordSchema = z.object({
  id: z.string(),
  owner,
  createdAt: z.number(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  attempts: z.number(),
  label: z.string().optional(),
  pageUrl: z.string().optional(),
  watch: z.string().optional(),
  storePath: z.string().optional(),
  traceparent: z.string().optional(),
  origin: z.string(),
  state: stateSchema,
  result: resultSchema.optional(),
  error: errorSchema.optional(),
  hasLostResult: z.boolean().optional(),
});

/** Reads the record of a job that BullMQ does not keep: it was cancelled, or removed before its webhook was sent. */
export function parseRecord(text: string): JobRecord {
  return recordSchema.parse(JSON.parse(text));
}

/** True for the errors of JSON and of a schema. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof SyntaxError || error instanceof z.ZodError;
}
