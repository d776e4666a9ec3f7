import { validationError } from '../../errors.ts';
import { isJsonObject, parseJson } from '../../parse-json.ts';

/** Capture fields under our names. */
export type Fields = Readonly<Record<string, unknown>>;

/** Values of an option of another service, as its clients send them. */
export type Given = ReadonlyMap<string, readonly string[]>;

/** Maximum total length of all values of an option that is converted. */
const MAX_CHARACTERS = 500_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Converts the values of an option to our fields. Throws ServiceErrors; the name is for their messages. */
type Convert = (values: readonly string[], name: string) => Fields;

/** How an option of another service is converted. The documentation has a table of them. */
export interface Option {
  /** `same`: with the same meaning. `near`: with a difference, which the note names. */
  readonly is: 'same' | 'near' | 'ignored' | 'refused';
  /** Our fields, for the documentation and for errors about them. */
  readonly ours?: string;
  readonly note?: string;
  /** True for HTML, styles and scripts, which are passed on as they are. */
  readonly isLong?: true;
  readonly convert: Convert;
}

/** All options of another service that we know, by name. */
export type Options = Readonly<Record<string, Option>>;

/** An option with the same meaning as a field of ours. */
export function same(ours: string, convert: Convert = text(ours)): Option {
  return { is: 'same', ours, convert };
}

/** A long text, whose size the field limits. */
export function sameText(ours: string): Option {
  return { ...same(ours), isLong: true };
}

/** An option that differs a little from a field of ours. */
export function near(ours: string, note: string, convert: Convert = text(ours)): Option {
  return { is: 'near', ours, note, convert };
}

/** An option that does not change the result here. */
export function ignored(): Option {
  return { is: 'ignored', convert: () => ({}) };
}

/** The same option under several names. */
export function each(option: Option, names: string): Options {
  return Object.fromEntries(names.split(' ').map((name) => [name, option]));
}

/** An option that would change the result, and that we do not have. `false` and empty values change nothing. */
export function refused(note?: string): Option {
  const convert: Convert = (values, name) => {
    if (values.every((value) => /^(?:|false|\[\]|\{\})$/.test(value.trim()))) return {};
    throw validationError(`${name}: is not supported${note === undefined ? '' : `; ${note}`}`);
  };
  return { is: 'refused', ...(note !== undefined && { note }), convert };
}

/**
 * Converts options to our fields. Lists are joined and objects merged, because several options may make one field.
 * Unknown options are ignored: clients send some of their own. Empty values, too: they are fields of a form that nobody
 * filled in.
 * @param defaults those of the other service, as our fields
 */
export function convertOptions(given: Given, options: Options, defaults: Fields = {}): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...defaults };
  for (const [name, values] of given) {
    if (values.every((value) => value === '')) continue;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option?.isLong !== true) checkLength(values, name);
    for (const [field, value] of Object.entries(option?.convert(values, name) ?? {})) {
      fields[field] = merged(fields[field], value);
    }
  }
  return fields;
}

/**
 * Converting takes time, and some patterns search a text more than once. A hundred cookies of usual size have 400,000
 * characters.
 */
function checkLength(values: readonly string[], name: string): void {
  const characters = values.reduce((sum, { length }) => sum + length, 0);
  if (characters <= MAX_CHARACTERS) return;
  throw validationError(`${name}: may have at most ${MAX_CHARACTERS} characters`);
}

function merged(before: unknown, added: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(added)) return [...before, ...added];
  return isJsonObject(before) && isJsonObject(added) ? { ...before, ...added } : added;
}

/**
 * Replaces our field names in a message by those of the other service: `window_width: must be` becomes `width: must
 * be`.
 */
export function theirWords(details: string, options: Options): string {
  return details.replaceAll(/(^|; )([a-z_]+)(?=[:.[])/g, (whole, before: string, field: string) => {
    const found = Object.entries(options).find(([, { ours }]) => ours?.split(/\W+/)[0] === field);
    return found === undefined ? whole : `${before}${found[0]}`;
  });
}

/** The last value as text. */
export function text(field: string): Convert {
  return (values) => ({ [field]: values.at(-1) ?? '' });
}

export function number(field: string, factor = 1): Convert {
  return (values, name) => ({ [field]: readNumber(values, name) * factor });
}

/** Converts a number in this unit of time to whole milliseconds. */
export function seconds(field: string): Convert {
  return (values, name) => ({ [field]: Math.round(readNumber(values, name) * 1_000) });
}

/** A duration such as `1m30s` or `500ms`, in milliseconds. */
export function duration(field: string): Convert {
  return ([value = ''], name) => {
    const parts = [...value.trim().matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m)/g)];
    if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== value.trim()) {
      throw validationError(`${name}: must be a duration such as 3s or 500ms`);
    }
    const ms = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0);
    return { [field]: Math.round(ms) };
  };
}

/** A boolean. `isNegated`: our field means the opposite. */
export function boolean(field: string, { isNegated = false } = {}): Convert {
  return (values, name) => ({ [field]: readBoolean(values, name) !== isNegated });
}

/** Sets these fields if the value is true. */
export function whenTrue(fields: Fields): Convert {
  return (values, name) => (readBoolean(values, name) ? fields : {});
}

/** All values as a list. */
export function list(field: string): Convert {
  return (values) => ({ [field]: values.filter((value) => value !== '') });
}

function readNumber(values: readonly string[], name: string): number {
  const given = values.at(-1)?.trim() ?? '';
  if (/^-?\d{1,15}(?:\.\d{0,20})?$/.test(given)) return Number(given);
  throw validationError(`${name}: must be a number`);
}

/** A length in inches, or with a unit. A pica has 16 CSS pixels. */
export function readLength([value = '']: readonly string[], name: string): string {
  const [, amount, unit = 'in'] = /^(\d{1,6}(?:\.\d{1,6})?)\s*(pt|px|in|mm|cm|pc)?$/.exec(value.trim()) ?? [];
  if (amount === undefined) throw validationError(`${name}: must be a length such as 8.5, 8.5in or 210mm`);
  return unit === 'pc' ? `${Number(amount) * 16}px` : `${amount}${unit}`;
}

export function readList(values: readonly string[], name: string): readonly unknown[] {
  const parsed = parseJson(values.at(-1) ?? '');
  if (Array.isArray(parsed)) return parsed;
  throw validationError(`${name}: must be a JSON list`);
}

export function readObject(values: readonly string[], name: string): Fields {
  const parsed = parseJson(values.at(-1) ?? '');
  if (isJsonObject(parsed)) return parsed;
  throw validationError(`${name}: must be a JSON object`);
}

export function readBoolean(values: readonly string[], name: string): boolean {
  const given = (values.at(-1) ?? '').trim().toLowerCase();
  if (given === 'true' || given === '1') return true;
  if (given === 'false' || given === '0' || given === '') return false;
  throw validationError(`${name}: must be true or false`);
}
