import { z } from 'zod';
import { onOneLine } from '../../ground/quoted.ts';
import { ProtocolError } from 'puppeteer';
import { isDocumentLost, isRetryable } from '../../browser/browser-errors.ts';
import { validationError } from '../../ground/errors.ts';

const MAX_SHOWN_LENGTH = 200;
/** Characters of a script of the request. */
export const MAX_SCRIPT_LENGTH = 102_400;

interface Documented {
  readonly description: string;
  readonly example?: unknown;
  /** Accepted values for the documentation, if the schema alone does not define them. */
  readonly accepts?: string;
}

/** Groups of fields in the order of the documentation. Fields without a group are last, under `more`. */
export const FIELD_GROUPS = {
  page: { title: 'Page', hint: 'The page to capture, and which errors to accept' },
  area: { title: 'Area', hint: 'Window size, and the part of the page to capture' },
  act: { title: 'Act', hint: 'Actions on the page before the capture' },
  wait: { title: 'Wait', hint: 'Conditions to wait for before the capture' },
  look: { title: 'Look', hint: 'Appearance of the page' },
  visitor: { title: 'Visitor', hint: 'Language, device, cookies and credentials of the visitor' },
  document: { title: 'Document', hint: 'Paper, margins and metadata of a PDF' },
  more: { title: 'More', hint: 'All other fields' },
} as const;

type FieldGroup = keyof typeof FIELD_GROUPS;

/** Schema of the fields of one group. */
export function fieldsOf<const Shape extends z.core.$ZodLooseShape>(
  group: FieldGroup,
  shape: Shape,
): z.ZodObject<Shape> {
  for (const field of Object.values(shape)) {
    z.globalRegistry.add(field, { ...z.globalRegistry.get(field), group });
  }
  return z.object(shape);
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** An integer in a range. The error message names the range. */
export function integerField(range: Range, documented: Documented): z.ZodNumber {
  const error = `must be a whole number from ${range.min} to ${range.max}`;
  return z
    .int({ error })
    .min(range.min, { error })
    .max(range.max, { error })
    .meta({ ...documented });
}

/** A number in a range. The error message names the range. */
export function numberField(range: Range, documented: Documented): z.ZodNumber {
  const error = `must be a number from ${range.min} to ${range.max}`;
  return z
    .number({ error })
    .min(range.min, { error })
    .max(range.max, { error })
    .meta({ ...documented });
}

export function booleanField(documented: Documented): z.ZodBoolean {
  return z.boolean({ error: 'must be true or false' }).meta({ ...documented });
}

/** Text of 1 to `maxLength` characters. */
export function textField(maxLength: number, documented: Documented): z.ZodString {
  const error = `must be text of 1 to ${maxLength} characters`;
  return z
    .string({ error })
    .min(1, { error })
    .max(maxLength, { error })
    .meta({ ...documented });
}

/** First line of a message from a page or browser, shortened for display. */
export function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return onOneLine(line.slice(0, MAX_SHOWN_LENGTH));
}

/** A choice from a closed set of names. */
export function choiceField<const Name extends string>(
  names: readonly Name[],
  documented: Documented,
): z.ZodEnum<{ [Each in Name]: Each }> {
  return z.enum(names, { error: `must be one of ${names.join(', ')}` }).meta({ ...documented });
}

/** True if the browser refused a value of the call; false if the page or the browser was lost meanwhile. */
export function isRefusedValue(error: unknown): boolean {
  return error instanceof ProtocolError && !isRetryable(error) && !isDocumentLost(error);
}

/**
 * Waits for a protocol call that passes on the value of a field.
 * @throws ServiceError ValidationError that names the field if the browser refuses the value.
 */
export async function acceptedValue<T>(field: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    throw validationError(`${field}: must be a value that the browser accepts`, error);
  }
}

const MAX_URL_LENGTH = 8_192;
const ERROR = `must be an absolute http: or https: address of at most ${MAX_URL_LENGTH} characters`;

/** URL of a page. The egress rules decide later whether it may be reached. */
export function webAddressField(documented: { readonly description: string; readonly example: string }): z.ZodString {
  return z
    .string({ error: ERROR })
    .max(MAX_URL_LENGTH, { error: ERROR })
    .refine(isWebAddress, { error: ERROR })
    .meta({
      ...documented,
      format: 'uri',
      accepts: `absolute \`http:\` or \`https:\` address of at most ${MAX_URL_LENGTH} characters`,
    });
}

function isWebAddress(text: string): boolean {
  // Rejects lone surrogates and control characters, because the browser would get another form than the checked one.
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) return false;
  const { protocol, hostname } = URL.parse(text) ?? {};
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}
