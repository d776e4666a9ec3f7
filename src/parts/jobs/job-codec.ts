import { z } from 'zod';
import type { CaptureFacts } from '../../core/capture/capture-on-page.ts';
import { FORMAT_NAMES } from '../../core/capture/formats/format-names.ts';
import { deliveryFields } from '../../core/capture/request/delivery.ts';
import { ERROR_CATALOGUE, type ErrorType } from '../../core/ground/errors.ts';
import { fieldPath } from '../../core/ground/field-path.ts';
import { JOB_STATES, type JobError, type JobResult } from './job.ts';

const resultFields = z.object({
  path: z.string(),
  format: z.enum(FORMAT_NAMES),
  delivery: deliveryFields,
  contentType: z.string(),
  bytes: z.number(),
  sha256: z.string().optional(),
  cache: z.enum(['HIT', 'MISS', 'BYPASS']),
  isSecret: z.boolean().optional(),
  isKept: z.boolean().optional(),
  // The content is not validated in detail, because it differs between versions and readers check each part.
  facts: z.custom<CaptureFacts>((value) => typeof value === 'object' && value !== null),
});

/** Results of earlier versions have the fields of their delivery beside the others. */
export const resultSchema = z.preprocess((value) => {
  const earlier = earlierResult.safeParse(value).data;
  if (earlier === undefined) return value;
  const { responseType, fileName, ...others } = earlier;
  const { disposition } = others;
  return { ...others, delivery: { response_type: responseType, file_name: fileName, disposition } };
}, resultFields);

const earlierResult = z.looseObject({
  responseType: z.unknown(),
  fileName: z.unknown().optional(),
  disposition: z.unknown().optional(),
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
export function decodeFields(text: string): Readonly<Record<string, unknown>> {
  return fieldsSchema.parse(JSON.parse(text));
}

/** A record of a job that this version cannot read: it is damaged, or another version wrote it. */
export interface UnreadableRecord {
  readonly id: string;
  /** Names columns and fields, never their values: secrets may be among them. */
  readonly reason: string;
}

/** Describes why a record cannot be read, without its text. */
export function unreadableReason(error: unknown): string {
  if (!(error instanceof z.ZodError)) return 'a column is not valid JSON';
  return `unexpected value of ${error.issues.map(({ path }) => fieldPath(path)).join(', ')}`;
}
