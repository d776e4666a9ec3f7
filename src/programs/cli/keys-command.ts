import { hash, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { MAX_SECRETS } from '../../core/access/signature.ts';
import type { FileKey } from '../../core/access/key-file.ts';
import { SCOPES } from '../../core/access/key.ts';
import { type Arguments, type CommandSyntax, parseArguments } from './arguments.ts';
import type { Command, CommandContext } from './context.ts';
import { EXIT, UsageError } from './exit.ts';
import { writeTo } from './output.ts';
import { changeKeyFile, checkEntry, type KeyEntry, readKeyFile } from './key-file-edit.ts';

const TOKEN_BYTES = 32;
const OTHERS_MAY_READ = 0o044;
/** Flags that describe a new key. */
const OF_NEW_KEYS = ['scope', 'quota', 'expires', 'rate-limit'];

export const KEYS_SYNTAX: CommandSyntax = {
  name: 'keys',
  usage: [
    'add <id> [...]',
    'rotate <id>',
    'revoke <id>',
    'disable <id>',
    'enable <id>',
    'list',
    'check [file]',
    'new <id> [...]',
  ],
  summary: 'Adds, renews, disables, lists and checks the API keys of KEYS_FILE.',
  examples: [
    'keys add shop --file keys.json --scope capture --scope jobs --quota 10000/month',
    'keys rotate shop --file keys.json',
  ],
  flags: [
    { name: 'file', placeholder: 'FILE', description: 'The file of the keys. Default: KEYS_FILE' },
    {
      name: 'scope',
      placeholder: 'SCOPE',
      isRepeatable: true,
      description: `What a new key may do: ${SCOPES.join(', ')}. Can be repeated. Default: capture`,
    },
    { name: 'quota', placeholder: 'N/day|month', description: 'Captures of a new key, such as 10000/month' },
    { name: 'rate-limit', placeholder: 'RATE', description: 'Rate of a new key, such as "20 per second"' },
    {
      name: 'expires',
      placeholder: 'TIME',
      description: 'UTC day or time at which a new key ends, such as 2027-01-01',
    },
  ],
  fields: [],
  maxPositionals: 2,
};

/** Changes or shows a key file, or prints an entry for one. */
export const keysCommand: Command = async (args, context) => {
  const given = parseArguments(KEYS_SYNTAX, args);
  const [action = '', subject] = given.positionals;
  refuseUnusedFlags(given, action);
  if (subject !== undefined && Object.hasOwn(ACTIONS_ON_KEY, action)) {
    const act = ACTIONS_ON_KEY[action];
    await act?.(subject, given, context);
    return EXIT.ok;
  }
  if (action === 'list' && subject === undefined) return listKeys(given, context);
  if (action === 'check') return checkFile(subject ?? fileOf(given, context), context);
  throw new UsageError(
    'Use "keys add <id>", "rotate <id>", "revoke <id>", "disable <id>", "enable <id>", "list" or "check". capture-service keys --help shows more.',
  );
};

type Action = (id: string, given: Arguments, context: CommandContext) => Promise<void>;

const ACTIONS_ON_KEY: Readonly<Record<string, Action>> = {
  /** Prints the token, which is not kept anywhere, and the entry of the file, which has its hash. */
  new: async (id, given, { stdout, report }) => {
    const token = createToken();
    const entry = createEntry(id, token, given);
    checkEntry(entry);
    report('The token, which is shown only now, and the entry for the list "keys" of KEYS_FILE:');
    await writeTo(stdout, `${token}\n${JSON.stringify(entry, undefined, 2)}\n`);
  },
  add: async (id, given, context) => {
    const token = createToken();
    const file = fileOf(given, context);
    const entry = createEntry(id, token, given);
    checkEntry(entry);
    const add = (keys: readonly KeyEntry[]): readonly KeyEntry[] => {
      if (keys.some((key) => key.id === id)) throw new UsageError(`${file} has a key ${id}: use "keys rotate".`);
      return [...keys, entry];
    };
    await changeKeyFile(file, add, async () => await showToken(token, context));
    context.report(`${id} was added to ${file}.`);
  },
  /** The earlier tokens stay valid, so that clients can change one after the other. */
  rotate: async (id, given, context) => {
    const token = createToken();
    const rotate = (key: KeyEntry): KeyEntry => {
      const earlier = key.token_sha256 ?? [];
      if (earlier.length >= MAX_SECRETS) {
        throw new UsageError(`${id} has ${earlier.length} tokens, the most possible: use "keys revoke ${id}".`);
      }
      return { ...key, token_sha256: [hash('sha256', token, 'hex'), ...earlier] };
    };
    await changeKey(id, given, context, rotate, async () => await showToken(token, context));
    context.report('The earlier tokens stay valid until "keys revoke".');
  },
  revoke: async (id, given, context) => {
    await changeKey(id, given, context, (key) => ({ ...key, token_sha256: (key.token_sha256 ?? []).slice(0, 1) }));
    context.report(`Only the newest token of ${id} is valid.`);
  },
  disable: async (id, given, context) => {
    await changeKey(id, given, context, (key) => ({ ...key, disabled: true }));
    context.report(`${id} is disabled, and so are its links.`);
  },
  enable: async (id, given, context) => {
    await changeKey(id, given, context, (key) => ({ ...key, disabled: undefined }));
    context.report(`${id} is enabled.`);
  },
};

async function changeKey(
  id: string,
  given: Arguments,
  context: CommandContext,
  change: (key: KeyEntry) => KeyEntry,
  announce?: () => Promise<void>,
): Promise<void> {
  const file = fileOf(given, context);
  const changeOne = (keys: readonly KeyEntry[]): readonly KeyEntry[] => {
    if (!keys.some((key) => key.id === id)) throw new UsageError(`${file} has no key ${id}.`);
    return keys.map((key) => (key.id === id ? change(key) : key));
  };
  await changeKeyFile(file, changeOne, announce);
}

async function showToken(token: string, { stdout, report }: CommandContext): Promise<void> {
  report('The token, which is shown only now:');
  await writeTo(stdout, `${token}\n`);
}

function createToken(): string {
  return `cs_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

function createEntry(id: string, token: string, given: Arguments): KeyEntry {
  const scopes = given.texts('scope');
  const [quota, expires, rate] = [given.text('quota'), given.text('expires'), given.text('rate-limit')];
  return {
    id,
    token_sha256: [hash('sha256', token, 'hex')],
    scopes: scopes.length === 0 ? ['capture'] : scopes,
    ...(rate !== undefined && { rate_limit: rate }),
    ...(quota !== undefined && { quota: readQuota(quota) }),
    ...(expires !== undefined && { expires_at: expires.includes('T') ? expires : `${expires}T00:00:00Z` }),
  };
}

function readQuota(text: string): object {
  const [, captures, per] = /^([1-9]\d{0,14})\/(day|month)$/.exec(text) ?? [];
  if (captures !== undefined) return { captures: Number(captures), per };
  throw new UsageError(`--quota ${text} does not have the form of 10000/month or 500/day.`);
}

/** @throws UsageError if there is none */
function fileOf(given: Arguments, { environment }: CommandContext): string {
  const file = given.text('file') ?? (environment['KEYS_FILE'] || undefined);
  if (file !== undefined) return file;
  throw new UsageError('The key file is missing: set its path with --file or KEYS_FILE.');
}

function refuseUnusedFlags(given: Arguments, action: string): void {
  const isNew = action === 'add' || action === 'new';
  const unused = [...(isNew ? [] : OF_NEW_KEYS), ...(action === 'new' ? ['file'] : [])].find(
    (name) => given.values[name] !== undefined,
  );
  if (unused !== undefined) throw new UsageError(`"keys ${action}" takes no --${unused}.`);
}

function listKeys(given: Arguments, context: CommandContext): number {
  const rows = readKeyFile(fileOf(given, context)).map(({ key, ...state }) => [
    key.id,
    stateOf({ key, ...state }),
    [...key.scopes].join(','),
    key.quota === undefined ? '' : `${key.quota.captures}/${key.quota.per}`,
    key.expiresAtMs === undefined ? '' : `until ${new Date(key.expiresAtMs).toISOString()}`,
  ]);
  const widths = rows.reduce((widest, row) => row.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)), [0]);
  for (const row of rows) {
    context.stdout.write(
      `${row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
  return EXIT.ok;
}

function stateOf({ key, isDisabled }: FileKey): string {
  if (isDisabled) return 'disabled';
  return key.expiresAtMs !== undefined && key.expiresAtMs <= Date.now() ? 'expired' : 'active';
}

function checkFile(file: string, { stdout, report }: CommandContext): number {
  const keys = readKeyFile(file);
  if ((statSync(file).mode & OTHERS_MAY_READ) !== 0) {
    report(`${file}: other users can read it, and it has signing secrets. chmod 600 prevents that.`);
  }
  const ended = keys.filter((key) => stateOf(key) === 'expired').map(({ key }) => key.id);
  if (ended.length > 0) report(`${file}: expired: ${ended.join(', ')}`);
  stdout.write(`${file}: ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}, no problem\n`);
  return EXIT.ok;
}
