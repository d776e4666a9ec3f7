import { parseArgs, type ParseArgsConfig } from 'node:util';
import leven from 'leven';
import { UsageError } from './exit.ts';
import type { FieldFlag } from './field-flags.ts';

/** A flag that is no request field. */
export interface Flag {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** Stands for the value in the help; without one the flag is a switch. */
  readonly placeholder?: string;
  readonly description: string;
}

/** A command as its help describes it. */
export interface CommandSyntax {
  readonly name: string;
  /** What follows the command's name, a line for each way to use it. */
  readonly usage: readonly string[];
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Request fields that it takes as flags. */
  readonly fields: readonly FieldFlag[];
  /** How many words it takes beside the flags. */
  readonly maxPositionals: number;
}

export interface Arguments {
  readonly values: ReturnType<typeof parseArgs>['values'];
  readonly positionals: readonly string[];
  /** The text of a flag that takes one; undefined when it is not given. */
  readonly text: (name: string) => string | undefined;
}

export const HELP_FLAG: Flag = { name: 'help', short: 'h', description: 'Show this' };

/**
 * Takes a command line apart. Switches can be turned off: `--no-javascript`.
 * @throws UsageError that names the flag, and the nearest known one
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
      throw new UsageError(`"${positionals[syntax.maxPositionals]}" is one word too many.`);
    }
    const text = (name: string): string | undefined => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    };
    return { values, positionals, text };
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof TypeError)) throw error;
    throw new UsageError(describe(error, Object.keys(options)), { cause: error });
  }
}

function optionsOf({ flags, fields }: CommandSyntax): NonNullable<ParseArgsConfig['options']> {
  const ofFlags = [...flags, HELP_FLAG].map(({ name, short, placeholder }) => [
    name,
    { type: placeholder === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) },
  ]);
  const ofFields = fields.map(({ name, kind }) => [
    name,
    { type: kind === 'boolean' ? 'boolean' : 'string', multiple: kind === 'list' || kind === 'record' },
  ]);
  return Object.fromEntries([...ofFlags, ...ofFields]);
}

/** Node's first sentence; what follows it advises to type `--`. */
function describe(error: TypeError, names: readonly string[]): string {
  const [, unknown] = /^Unknown option '--?([^']+)'/.exec(error.message) ?? [];
  if (unknown === undefined) return `${error.message.split(/\.?\s*(?:\n|To specify)/)[0]}.`;
  const wanted = unknown.replace(/^no-/, '').replaceAll('_', '-');
  const [nearest] = names.toSorted((a, b) => leven(a, wanted) - leven(b, wanted));
  const isNear = nearest !== undefined && leven(nearest, wanted) <= Math.max(2, nearest.length / 3);
  return `There is no flag --${unknown}${isNear ? `, did you mean --${nearest}?` : '.'}`;
}
