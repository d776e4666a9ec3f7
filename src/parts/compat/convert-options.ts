import type { Request } from 'express';
import { validationError } from '../../core/ground/errors.ts';
import { isJsonObject } from '../../core/ground/parse-json.ts';

/** Capture fields under our names. */
export type Fields = Readonly<Record<string, unknown>>;

/** Values of an option of another service, as its clients send them. */
export type Given = ReadonlyMap<string, readonly string[]>;

/** Maximum total length of all values of an option that is converted. */
const MAX_CHARACTERS = 500_000;

/** Converts the values of an option to our fields. Throws ServiceErrors; the name is for their messages. */
export type Convert = (values: readonly string[], name: string) => Fields;

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
export function same(ours: string, convert: Convert = lastText(ours)): Option {
  return { is: 'same', ours, convert };
}

/** A long text, whose size the field limits. */
export function sameText(ours: string): Option {
  return { ...same(ours), isLong: true };
}

/** An option that differs a little from a field of ours. */
export function near(ours: string, note: string, convert: Convert = lastText(ours)): Option {
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
 * Returns the options in the query, where lists are repeated, and in a JSON body.
 * @param groups objects of the body whose members are options of their own, named `group.member`
 */
export function readGiven(request: Request, groups: ReadonlySet<string> = new Set()): Given {
  const given = new Map<string, string[]>();
  const add = (name: string, value: unknown): void => {
    if (value === null) return; // an option that the client did not set
    const texts = [value].flat().map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    const values = given.get(name);
    if (values === undefined) given.set(name, texts);
    else for (const each of texts) values.push(each);
  };
  const start = request.originalUrl.indexOf('?');
  const query = new URLSearchParams(start === -1 ? '' : request.originalUrl.slice(start + 1));
  for (const [name, value] of query) add(name.replace(/\[\]$/, ''), value);
  const body: unknown = request.body ?? {};
  if (!isJsonObject(body)) throw validationError('The body must be a JSON object');
  for (const [name, value] of Object.entries(body)) {
    if (!groups.has(name)) add(name, value);
    else if (isJsonObject(value)) for (const [member, each] of Object.entries(value)) add(`${name}.${member}`, each);
    else if (value !== null) throw validationError(`${name}: must be an object`);
  }
  return given;
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
function lastText(field: string): Convert {
  return (values) => ({ [field]: values.at(-1) ?? '' });
}
