import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FIELD_NAMES } from '../capture/request/options.ts';
import { SCOPES } from '../keys/key.ts';
import { type FileKey, parseKeyFile } from '../keys/key-file.ts';
import { type Arguments, type CommandSyntax, parseArguments } from './arguments.ts';
import type { Command, CommandContext } from './context.ts';
import { EXIT, UsageError } from './exit.ts';

const TOKEN_BYTES = 32;

export const KEYS_SYNTAX: CommandSyntax = {
  name: 'keys',
  usage: ['new <id> [--scope SCOPE]...', 'check <file>'],
  summary: 'Makes a key for KEYS_FILE, or checks such a file.',
  flags: [
    {
      name: 'scope',
      placeholder: 'SCOPE',
      isRepeatable: true,
      description: `What the key may do: ${SCOPES.join(', ')}. Can be repeated. Default: capture`,
    },
  ],
  fields: [],
  maxPositionals: 2,
};

/** Makes a key, or checks a key file. */
export const keysCommand: Command = async (args, context) => {
  const given = parseArguments(KEYS_SYNTAX, args);
  const [action, subject] = given.positionals;
  if (action === 'new' && subject !== undefined) return makeKey(subject, given, context);
  if (action === 'check' && subject !== undefined) return checkFile(subject, given, context);
  throw new UsageError('Use "keys new <id>" or "keys check <file>". capture-service keys --help shows more.');
};

/** Prints the token, which is not kept anywhere, and the entry of the file, which has its hash. */
function makeKey(id: string, given: Arguments, { stdout, report }: CommandContext): number {
  const token = `cs_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const scopes = given.texts('scope');
  const entry = {
    id,
    token_sha256: [hash('sha256', token, 'hex')],
    scopes: scopes.length === 0 ? ['capture'] : scopes,
  };
  parse(Buffer.from(JSON.stringify({ keys: [entry] })), (problem) => problem.replace(/^keys\[0\]\.?/, ''));
  report('The token, which is shown only now, and the entry for the list "keys" of KEYS_FILE:');
  stdout.write(`${token}\n${JSON.stringify(entry, undefined, 2)}\n`);
  return EXIT.ok;
}

function checkFile(file: string, given: Arguments, { stdout }: CommandContext): number {
  if (given.texts('scope').length > 0) throw new UsageError('"keys check" takes no --scope.');
  const keys = parse(read(file), (problem) => `${file}: ${problem}`);
  stdout.write(`${file}: ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}, no problem\n`);
  return EXIT.ok;
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function parse(bytes: Buffer, describe: (problem: string) => string): readonly FileKey[] {
  try {
    return parseKeyFile(bytes, new Set(FIELD_NAMES));
  } catch (error) {
    throw new UsageError(describe(error instanceof Error ? error.message : String(error)), { cause: error });
  }
}
