import { z } from 'zod';
import { FORMAT_NAMES } from '../capture/formats/format-names.ts';
import { ERROR_CATALOGUE, type ErrorType, fieldPath } from '../errors.ts';
import { type CaptureFacts, JOB_STATES, type JobError, type JobResult } from './job.ts';

export const resultSchema = z.object({
  path: z.string(),
  format: z.enum(FORMAT_NAMES),
  responseType: z.enum(['file', 'json']),
  fileName: z.string().optional(),
  disposition: z.enum(['attachment', 'inline']).optional(),
  contentType: z.string(),
  bytes: z.number(),
  sha256: z.string().optional(),
  cache: z.enum(['HIT', 'MISS', 'BYPASS']),
  // The content is not validated in detail, because it differs between versions and readers check each part.
  facts: z.custom<CaptureFacts>((value) => typeof value === 'object' && value !== null),
});

export const errorSchema = z.object({
  type: z.custom<ErrorType>((value) => typeof value === 'string' && Object.hasOwn(ERROR_CATALOGUE, value)),
  message: z.string(),
  details: z.string().optional(),
});

export const stateSchema = z.enum(JOB_STATES);

export const fieldsSchema = z.record(z.string(), z.unknown());

/**
 * Undefined for a missing text.
 * @throws Error if this service has not written it
 */
export function parseResult(text: string | null | undefined): JobResult | undefined {
  return text == null ? undefined : resultSchema.parse(JSON.parse(text));
}

/** Like `parseResult`. */
export function parseError(text: string | null | undefined): JobError | undefined {
  return text == null ? undefined : errorSchema.parse(JSON.parse(text));
}

/** Parses the fields of a capture, as the client has sent them. */
export function parseFields(text: string): Readonly<Record<string, unknown>> {
  return fieldsSchema.parse(JSON.parse(text));
}

/** A record of a job that this version cannot read: it is damaged, or another version wrote it. */
export interface UnreadableRecord {
  readonly id: string;
  /** Names columns and fields, never their values: secrets may be among them. */
  readonly reason: string;
}

/** Describes why a record cannot be read, without its text. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return 'a column is not valid JSON';
  return `unexpected value of ${error.issues.map(({ path }) => fieldPath(path)).join(', ')}`;
}

/** Undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the schema reports the column
  }
}
