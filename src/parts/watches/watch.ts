import { z } from 'zod';
import { parseJson } from '../../core/ground/parse-json.ts';
import type { JobError, JobResult } from '../jobs/job.ts';
import { errorSchema, fieldsSchema, resultSchema } from '../jobs/job-codec.ts';

/** What a run has found. `skipped`: the run before was still going, or the watch was edited during this one. */
export const OUTCOMES = ['first', 'same', 'changed', 'done', 'failed', 'skipped'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const selectorOrBox = z.union([z.object({ selector: z.string() }), box]);

/** What a client decides about a watch. */
const watchFields = z.object({
  capture: fieldsSchema,
  schedule: z.string(),
  timezone: z.string(),
  /** Null: the results are kept, and not compared. */
  compare: z.object({ ignore: z.array(selectorOrBox), threshold: z.number(), min_ratio: z.number() }).nullable(),
  confirm: z.number(),
  notify: z.enum(['changed', 'always']),
  baseline: z.enum(['told', 'accepted']),
  keep: z.number(),
  pause_after_failures: z.number(),
  label: z.string().optional(),
  webhook_url: z.string().optional(),
});
export type WatchFields = z.output<typeof watchFields>;

const watchRecord = z.object({
  id: z.string(),
  owner: z.string(),
  /** Base of links in webhooks. */
  origin: z.string(),
  createdAt: z.number(),
  fields: watchFields,
  /** Time from which `every` counts. */
  anchorMs: z.number(),
  /** Grows when the capture or the comparison is edited. A run of an earlier edition decides nothing. */
  edition: z.number(),
  /** Planned start of the next run. Null: the watch is paused. */
  nextAt: z.number().nullable(),
  /** Milliseconds after `nextAt` at which it begins. */
  spreadMs: z.number(),
  pausedBy: z.enum(['client', 'failures']).optional(),
  /** Failed runs since the last one that succeeded. */
  failures: z.number(),
  /** The run whose job was submitted last, until it has ended. `plannedAt`: undefined for `run now`. */
  going: z.object({ id: z.string(), plannedAt: z.number().optional() }).optional(),
  /** Ids of runs. */
  lastRun: z.string().optional(),
  baseline: z.string().optional(),
  /** Runs that kept changes were compared with, each with the last of these changes. */
  compared: z.array(z.object({ id: z.string(), by: z.string() })).default([]),
  /** Grows with each write. */
  revision: z.number(),
});

/** A stored watch. Its fields may contain secrets. Times are Unix milliseconds. */
export type Watch = Readonly<z.output<typeof watchRecord>>;

const region = z.object({
  ...box.shape,
  kind: z.enum(['changed', 'added', 'removed', 'moved']),
  /** Row of the later picture where a removed region was. */
  rowInAfter: z.number().optional(),
  selector: z.string().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
});
const lineChange = z.object({
  kind: z.enum(['changed', 'added', 'removed']),
  line: z.number(),
  before: z.string().optional(),
  after: z.string().optional(),
});

/** How a run differs from its baseline: regions of pictures, or lines of markdown. */
const comparison = z.object({
  /** Id of the run that is the baseline. */
  baseline: z.string(),
  ratio: z.number(),
  pixels: z.number().optional(),
  regions: z.array(region).optional(),
  changes: z.array(lineChange).optional(),
  truncated: z.literal(true).optional(),
  warnings: z.array(z.string()).optional(),
});
export type RunComparison = Readonly<z.output<typeof comparison>>;

const runRecord = z.object({
  id: z.string(),
  watch: z.string(),
  outcome: z.enum(OUTCOMES),
  startedAt: z.number(),
  finishedAt: z.number(),
  edition: z.number(),
  /** True if the receiver of the webhook is told. */
  isReported: z.boolean(),
  /** True if the watch was paused after this run, because it has failed too often. */
  pauses: z.literal(true).optional(),
  comparison: comparison.optional(),
  /** Addresses of sub-resources whose servers have failed. */
  failing: z.array(z.string()).optional(),
  /** Regions that differed in one of the captures of this run, and not in all. */
  flickered: z.array(box).optional(),
  /** True if it differed where the page has changed by itself before. The change is told if the next run shows it. */
  isUnsteady: z.literal(true).optional(),
  /** True if the run before has found the same change, and the baseline is to be accepted. It is not reported again. */
  isRepeated: z.literal(true).optional(),
  result: z.custom<JobResult>((value) => resultSchema.safeParse(value).success).optional(),
  /** Path of the elements of the page, compressed. Undefined: they are unknown. */
  elements: z.string().optional(),
  error: z.custom<JobError>((value) => errorSchema.safeParse(value).success).optional(),
});

/** A finished run. Times are Unix milliseconds. */
export type Run = Readonly<z.output<typeof runRecord>>;

/** Returns a list of the watch, or of nothing for a record that is damaged or of another version: it stops no other. */
export function decodeWatch(text: string): readonly Watch[] {
  const { data } = watchRecord.safeParse(parseJson(text));
  return data === undefined ? [] : [data];
}

/** Like `decodeWatch`. */
export function decodeRun(text: string): readonly Run[] {
  const { data } = runRecord.safeParse(parseJson(text));
  return data === undefined ? [] : [data];
}
