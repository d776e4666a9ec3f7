import { z } from 'zod';
import { createCalls } from '../client/calls.ts';
import { CaptureError, UnexpectedAnswerError } from '../client/capture-error.ts';
import { readJson } from '../client/json.ts';
import { type CommandSyntax, parseArguments } from './arguments.ts';
import type { Command } from './context.ts';
import { describeFailure, EXIT, exitCodeOf } from './exit.ts';
import { requireService, SERVICE_FLAG, TOKEN_FLAG } from './service-flags.ts';

const COLUMNS = ['date', 'captures', 'cached', 'failed', 'jobs', 'bytes'] as const;
const PARAMETERS = ['from', 'to', 'key'] as const;

export const USAGE_SYNTAX: CommandSyntax = {
  name: 'usage',
  usage: ['[--from DAY] [--to DAY] [--key ID] [--service URL] [--json]'],
  summary: 'Prints the captures of a key on each UTC day, and its quota.',
  flags: [
    {
      name: 'from',
      placeholder: 'DAY',
      description: 'First UTC day, such as 2026-11-01. Default: the first of the month',
    },
    { name: 'to', placeholder: 'DAY', description: 'Last UTC day. Default: today' },
    {
      name: 'key',
      placeholder: 'ID',
      description: 'Id of another key. Only with AUTH_TOKEN, the key `default`',
    },
    SERVICE_FLAG,
    TOKEN_FLAG,
    { name: 'json', description: 'Print the JSON answer of the service' },
  ],
  fields: [],
  maxPositionals: 0,
};

const counter = z.number();
const usageAnswer = z.object({
  key: z.string(),
  days: z.array(
    z.object({
      date: z.string(),
      captures: counter,
      cached: counter,
      failed: counter,
      jobs: counter,
      bytes: counter,
    }),
  ),
  quota: z.object({ limit: counter, used: counter, resets_at: z.string() }).nullable(),
});
type UsageAnswer = z.infer<typeof usageAnswer>;

/** Prints the usage of a key of a running service. */
export const usageCommand: Command = async (args, context) => {
  const given = parseArguments(USAGE_SYNTAX, args);
  const service = requireService(given, context);
  const address = new URL(`${service.address}/usage`);
  for (const name of PARAMETERS) {
    const value = given.text(name);
    if (value !== undefined) address.searchParams.set(name, value);
  }
  try {
    const call = createCalls({ service: service.address, token: service.token });
    const answer = await call({ address, method: 'GET' }, { signal: context.signal }, readUsage);
    context.stdout.write(given.values['json'] === true ? `${JSON.stringify(answer)}\n` : renderUsage(answer));
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    context.report(describeFailure(error));
    return exitCodeOf(error);
  }
};

/** @throws UnexpectedAnswerError if another program answered */
async function readUsage(response: Response): Promise<UsageAnswer> {
  const { success, data } = usageAnswer.safeParse(await readJson(response));
  if (success) return data;
  throw new UnexpectedAnswerError(response.status, {});
}

/** Returns a table of the days with their sum, and a line about the quota. */
function renderUsage({ key, days, quota }: UsageAnswer): string {
  const sum = (name: (typeof COLUMNS)[number]): string =>
    name === 'date' ? 'total' : String(days.reduce((total, day) => total + day[name], 0));
  const rows = [COLUMNS, ...days.map((day) => COLUMNS.map((name) => String(day[name]))), COLUMNS.map(sum)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const state =
    quota === null
      ? `Key ${key}: no quota`
      : `Key ${key}: ${quota.used} of ${quota.limit} captures used, resets at ${quota.resets_at}`;
  return `${(days.length === 0 ? ['No usage on these days'] : table).join('\n')}\n${state}\n`;
}
