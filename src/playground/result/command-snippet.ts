import type { Values } from '../form/values.ts';
import { quote } from './quote.ts';

/** Returns the arguments of the command line for these values, each quoted for a shell. */
export function toArguments({ url, files, ...values }: Values): readonly string[] {
  const flags = Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : toFlags(field.replaceAll('_', '-'), value),
  );
  const ofFiles = Object.keys(Object(files)).map((name) => `--files ${quote(`${name}: `)}"$(base64 < ${quote(name)})"`);
  return [...(typeof url === 'string' ? [quote(url)] : []), ...flags, ...ofFiles];
}

function toFlags(name: string, value: unknown): readonly string[] {
  if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
  if (Array.isArray(value)) return value.map((each) => flag(name, each));
  return [flag(name, value)];
}

/** Escapes text that the command line would read as another flag or as the name of a file. */
function flag(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value.replace(/^@/, '@@') : JSON.stringify(value);
  return `--${name}${text.startsWith('-') ? '=' : ' '}${/^[\w./:-]+$/.test(text) ? text : quote(text)}`;
}
