import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../../core/ground/nearest.ts';
import { UsageError } from './exit.ts';
import type { FieldFlag } from './field-flags.ts';

/** A flag that is not a request field. */
export interface Flag {
  readonly name: string;
  /** A single letter. */
  readonly short?: string;
  /** Placeholder of the value in the help. Without it, the flag is a switch. */
  readonly placeholder?: string;
  /** True if the flag may be repeated. */
  readonly isRepeatable?: true;
  readonly description: string;
}

/** Syntax of a command, as shown in its help. */
export interface CommandSyntax {
  readonly name: string;
  /** Text after the command's name, one line per form. */
  readonly usage: readonly string[];
  readonly summary: string;
  /** Command lines without the name of the program. */
  readonly examples?: readonly string[];
  readonly flags: readonly Flag[];
  /** Request fields that the command accepts as flags. */
  readonly fields: readonly FieldFlag[];
  /** Maximum number of words beside the flags. */
  readonly maxPositionals: number;
}

export interface Arguments {
  readonly values: ReturnType<typeof parseArgs>['values'];
  readonly positionals: readonly string[];
  /** Returns the value of a flag as text, or undefined if the flag is not given. */
  readonly text: (name: string) => string | undefined;
  /** Returns all values of a repeatable flag. */
  readonly texts: (name: string) => readonly string[];
}

export const HELP_FLAG: Flag = { name: 'help', short: 'h', description: 'Show this help' };

/**
 * Parses a command line. `--no-javascript` turns off a switch.
 * @throws UsageError that names the flag, and the nearest known flag
 */
export function parseArguments(syntax: CommandSyntax, args: readonly string[]): Arguments {
  const options = optionsOf(syntax);
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      allowNegative: true,
    });
    if (positionals.length > syntax.maxPositionals) {
      throw new UsageError(`"${positionals[syntax.maxPositionals]}" is an unexpected argument.`);
    }
    const text = (name: string): string | undefined => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    };
    const texts = (name: string): readonly string[] =>
      [values[name] ?? []].flat().filter((value) => typeof value === 'string');
    return { values, positionals, text, texts };
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof TypeError)) throw error;
    throw new UsageError(describe(error, Object.keys(options)), { cause: error });
  }
}

function optionsOf({ flags, fields }: CommandSyntax): NonNullable<ParseArgsConfig['options']> {
  const ofFlags = [...flags, HELP_FLAG].map(({ name, short, placeholder, isRepeatable = false }) => [
    name,
    {
      type: placeholder === undefined ? 'boolean' : 'string',
      multiple: isRepeatable,
      ...(short !== undefined && { short }),
    },
  ]);
  const ofFields = fields.map(({ name, kind }) => [
    name,
    { type: kind === 'boolean' ? 'boolean' : 'string', multiple: kind === 'list' || kind === 'record' },
  ]);
  return Object.fromEntries([...ofFlags, ...ofFields]);
}

/** First sentence of Node's message. The rest advises to type `--`. */
function describe(error: TypeError, names: readonly string[]): string {
  const [, unknown] = /^Unknown option '--?([^']+)'/.exec(error.message) ?? [];
  if (unknown === undefined) return `${error.message.split(/\.?\s*(?:\n|To specify)/)[0]}.`;
  const name = unknown.replace(/^no-/, '').replaceAll('_', '-');
  const nearest = nearestName(name, names);
  return `Unknown flag --${unknown}${nearest !== undefined ? `, did you mean --${nearest}?` : '.'}`;
}
