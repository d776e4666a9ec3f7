import { z } from 'zod';

const MAX_SHOWN_LENGTH = 200;

interface Documented {
  readonly description: string;
  readonly example?: unknown;
  /** What is accepted, for the documentation, where the schema alone does not say it. */
  readonly accepts?: string;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A whole number in a range; anything else is told the range. */
export function integerField(range: Range, documented: Documented): z.ZodNumber {
  const error = `must be a whole number from ${range.min} to ${range.max}`;
  return z
    .int({ error })
    .min(range.min, { error })
    .max(range.max, { error })
    .meta({ ...documented });
}

/** A number in a range; anything else is told the range. */
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

/** What a page or a browser said, short enough to be shown. */
export function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.slice(0, MAX_SHOWN_LENGTH);
}

/** One of a closed set of names. */
export function choiceField<const Names extends readonly [string, ...string[]]>(
  names: Names,
  documented: Documented,
): z.ZodEnum<{ [Name in Names[number]]: Name }> {
  return z.enum(names, { error: `must be one of ${names.join(', ')}` }).meta({ ...documented });
}
