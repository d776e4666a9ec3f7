import leven from 'leven';
import { z } from 'zod';
import { validationError } from '../errors.ts';
import { type CaptureOptions, captureSchema, FIELD_NAMES } from './options.ts';

interface ParseLimits {
  /** The largest `wait_for_timeout`, in milliseconds. */
  readonly maxWaitMs: number;
}

/**
 * Makes typed options of a JSON value.
 * @throws ServiceError ValidationError that names each bad field and what is accepted.
 */
export function parseOptions(input: unknown, { maxWaitMs }: ParseLimits): CaptureOptions {
  const { success, data, error } = captureSchema.safeParse(input);
  if (!success) throw validationError(error.issues.slice(0, 10).map(describeIssue).join('; '), error);
  if (data.url === undefined && data.html_content === undefined) {
    throw validationError('Either url or html_content must be provided');
  }
  if (data.url !== undefined && data.html_content !== undefined) {
    throw validationError('Only one of url and html_content may be provided');
  }
  if (data.wait_for_timeout <= maxWaitMs) return data;
  const isDefault = !(typeof input === 'object' && input !== null && 'wait_for_timeout' in input);
  if (isDefault) return { ...data, wait_for_timeout: maxWaitMs };
  throw validationError(`wait_for_timeout: must be a whole number from 1 to ${maxWaitMs}`);
}

/**
 * Makes typed options of query text, by looking at the schema: `true false 1 0` for booleans, plain decimals for numbers.
 * @throws ServiceError ValidationError, as `parseOptions`.
 */
export function parseTextOptions(fields: ReadonlyMap<string, string>, limits: ParseLimits): CaptureOptions {
  const shape: Readonly<Record<string, z.core.$ZodType>> = captureSchema.shape;
  const values = [...fields].map(([name, text]) => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return [name, schema === undefined ? text : fromText(schema, text)];
  });
  return parseOptions(Object.fromEntries(values), limits);
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };
const PLAIN_DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;

/** The JSON value that a field's text stands for; the text itself where it stands for none, which the schema then refuses. */
function fromText(schema: z.core.$ZodType, text: string): unknown {
  const { def } = schema._zod; // zod's documented way to look into a schema: zod.dev/library-authors
  if (def.type === 'boolean') return Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : text;
  if (def.type === 'number') return PLAIN_DECIMAL.test(text) ? Number(text) : text;
  const inner = 'innerType' in def ? def.innerType : undefined; // optional, default
  return inner instanceof z.core.$ZodType ? fromText(inner, text) : text;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return issue.keys.slice(0, 10).map(describeUnknown).join('; ');
  if (issue.path.length === 0) return 'The request must be a JSON object';
  return `${issue.path.join('.')}: ${issue.message}`;
}

function describeUnknown(name: string): string {
  const shown = name.slice(0, 64);
  const [nearest] = FIELD_NAMES.toSorted((a, b) => leven(a, shown) - leven(b, shown));
  const isNear = nearest !== undefined && leven(nearest, shown) <= Math.max(2, nearest.length / 3);
  return `${shown}: is not a known field${isNear ? `, did you mean ${nearest}?` : ''}`;
}
