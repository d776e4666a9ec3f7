import { z } from 'zod';
import { type Call, createCalls } from '../../client/calls.ts';
import { CaptureError, UnexpectedAnswerError } from '../../client/capture-error.ts';
import { encodeJson, isCaptureRequest, toJsonFields } from '../../client/capture-request.ts';
import { readJson } from '../../client/json.ts';
import { type Arguments, type CommandSyntax, parseArguments } from '../arguments.ts';
import type { Command, CommandContext } from '../context.ts';
import { differenceFields, linesOf, toIgnored } from '../differences.ts';
import { describeFailure, EXIT, exitCodeOf, UsageError } from '../exit.ts';
import { FIELD_FLAGS, readFields } from '../field-flags.ts';
import { requireService, SERVICE_FLAG, TOKEN_FLAG } from '../service-flags.ts';
import { readTarget } from '../target.ts';

const OUTCOME_WIDTH = 'changed'.length;

export const WATCH_SYNTAX: CommandSyntax = {
  name: 'watch',
  usage: [
    'add <address> --schedule TEXT [--ignore SELECTOR or X,Y,WIDTH,HEIGHT] [...]',
    'list',
    'show <id>',
    'run <id>',
    'accept <id>',
    'pause <id>',
    'resume <id>',
    'remove <id>',
  ],
  summary:
    'Captures a page on a schedule and tells when it has changed: adds, lists and controls the watches of a service.',
  examples: [
    'watch add example.com --full-page --schedule "every 10 minutes" --ignore .clock',
    'watch add example.com --schedule "0 9 * * 1-5" --schedule-timezone Europe/Berlin --format pdf --plain',
    'watch show 01a2137f-4b91-7000-85d3-7918f0919805',
  ],
  flags: [
    {
      name: 'schedule',
      placeholder: 'TEXT',
      description: 'When runs begin: five fields of cron, or every N seconds, minutes, hours or days',
    },
    { name: 'schedule-timezone', placeholder: 'ZONE', description: 'Time zone of the schedule. Default: UTC' },
    { name: 'plain', description: 'Keep each run, and compare none' },
    {
      name: 'ignore',
      placeholder: 'TEXT',
      isRepeatable: true,
      description: 'Leave out a box of the pictures (X,Y,WIDTH,HEIGHT), or all matches of a CSS selector',
    },
    { name: 'threshold', placeholder: 'N', description: 'Largest colour distance that counts as equal. Default: 0.01' },
    { name: 'min-ratio', placeholder: 'N', description: 'Least share that must differ, from 0 to 1. Default: 0' },
    { name: 'confirm', placeholder: 'N', description: 'Captures that must show the same change, 1 to 3. Default: 2' },
    { name: 'notify', placeholder: 'changed|always', description: 'Which runs the webhook gets. Default: changed' },
    { name: 'baseline', placeholder: 'told|accepted', description: 'What runs are compared with. Default: told' },
    { name: 'keep', placeholder: 'N', description: 'Number of runs that are kept. Default: 30' },
    {
      name: 'pause-after-failures',
      placeholder: 'N',
      description: 'Failed runs in a row after which the watch is paused. 0: never. Default: 20',
    },
    { name: 'label', placeholder: 'TEXT', description: 'Name of the watch. Default: host and path of the page' },
    { name: 'webhook-url', placeholder: 'URL', description: 'URL to which changes are sent' },
    SERVICE_FLAG,
    TOKEN_FLAG,
    { name: 'json', description: 'Print the JSON answer of the service' },
  ],
  fields: FIELD_FLAGS,
  maxPositionals: 2,
};

const run = z.looseObject({
  id: z.string(),
  outcome: z.string(),
  started_at: z.string(),
  url: z.string().optional(),
  comparison: z.looseObject({ ratio: z.number(), ...differenceFields }).optional(),
  error: z.looseObject({ error_type: z.string(), message: z.string() }).optional(),
});
const watch = z.looseObject({
  id: z.string(),
  state: z.string(),
  schedule: z.string(),
  label: z.string().optional(),
  next_run_at: z.string().optional(),
  last_run: run.optional(),
});
const watchList = z.looseObject({ watches: z.array(watch), next_cursor: z.string().optional() });
const runList = z.looseObject({ runs: z.array(run) });
const begun = z.looseObject({ id: z.string(), watch: z.string() });

/** Adds, lists and controls the watches of a service. */
export const watchCommand: Command = async (args, context) => {
  const given = parseArguments(WATCH_SYNTAX, args);
  const action = actionOf(given);
  const service = requireService(given, context);
  const call = createCalls({ service: service.address, token: service.token });
  try {
    await action({ call, address: service.address, context, given });
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    context.report(describeFailure(error));
    return exitCodeOf(error);
  }
};

interface Acting {
  readonly call: Call;
  readonly address: string;
  readonly context: CommandContext;
  readonly given: Arguments;
}
type Action = (acting: Acting) => Promise<void>;

/** @throws UsageError if the command line has no action */
function actionOf(given: Arguments): Action {
  const [action = 'list', subject] = given.positionals;
  if (action === 'list' && subject === undefined) return list;
  if (subject !== undefined) {
    const path = `/watches/${encodeURIComponent(subject)}`;
    if (action === 'add') return (acting) => add(subject, acting);
    if (action === 'show') return (acting) => show(path, acting);
    if (action === 'run') return (acting) => print(acting, 'POST', `${path}/run`, begun, ({ id }) => `${id}\n`);
    if (action === 'accept') return (acting) => print(acting, 'POST', `${path}/accept`, watch, inWords);
    if (action === 'pause') return (acting) => change(path, 'paused', acting);
    if (action === 'resume') return (acting) => change(path, 'active', acting);
    if (action === 'remove') return (acting) => remove(path, acting);
  }
  throw new UsageError(
    'Use "watch add <address>", "watch list", or "watch show", "run", "accept", "pause", "resume" or "remove" with an id. capture-service watch --help shows more.',
  );
}

async function add(target: string, acting: Acting): Promise<void> {
  const { given, context } = acting;
  if (given.text('schedule') === undefined)
    throw new UsageError('The schedule is missing, for example --schedule "every 10 minutes".');
  const capture = { ...(await readFields(given.values, context.stdin)), ...(await readTarget(target, context.stdin)) };
  const number = (name: string): number | undefined => {
    const text = given.text(name);
    return text === undefined ? undefined : Number(text);
  };
  const body = {
    capture: isCaptureRequest(capture) ? toJsonFields(capture) : capture,
    schedule: given.text('schedule'),
    timezone: given.text('schedule-timezone'),
    compare:
      given.values['plain'] === true
        ? null
        : {
            ignore: given.texts('ignore').map(toIgnored),
            threshold: number('threshold'),
            min_ratio: number('min-ratio'),
          },
    confirm: number('confirm'),
    notify: given.text('notify'),
    baseline: given.text('baseline'),
    keep: number('keep'),
    pause_after_failures: number('pause-after-failures'),
    label: given.text('label'),
    webhook_url: given.text('webhook-url'),
  };
  await print(acting, 'POST', '/watches', watch, inWords, body);
}

/** Lists all watches, also those of the next pages. */
async function list(acting: Acting): Promise<void> {
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const query: string = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page: z.output<typeof watchList> = await send(acting, 'GET', `/watches${query}`, watchList);
    for (const each of page.watches) write(acting, each, inWords);
    cursor = page.next_cursor;
  }
}

async function show(path: string, acting: Acting): Promise<void> {
  const [found, { runs }] = [
    await send(acting, 'GET', path, watch),
    await send(acting, 'GET', `${path}/runs`, runList),
  ];
  write(acting, { ...found, runs }, () => inWords(found) + runs.map(runInWords).join(''));
}

async function change(path: string, state: 'active' | 'paused', acting: Acting): Promise<void> {
  await print(acting, 'PATCH', path, watch, inWords, { state });
}

async function remove(path: string, { call, address, context }: Acting): Promise<void> {
  await call({ address: new URL(address + path), method: 'DELETE' }, { signal: context.signal }, async () => undefined);
}

type Method = 'GET' | 'POST' | 'PATCH';

async function print<T>(
  acting: Acting,
  method: Method,
  path: string,
  schema: z.ZodType<T>,
  toText: (value: T) => string,
  body?: object,
): Promise<void> {
  write(acting, await send(acting, method, path, schema, body), toText);
}

/** @throws UnexpectedAnswerError if another program answered */
async function send<T>(
  { call, address, context }: Acting,
  method: Method,
  path: string,
  schema: z.ZodType<T>,
  body?: object,
): Promise<T> {
  const request = {
    address: new URL(address + path),
    method,
    ...(body && { encoded: encodeJson(body) }),
    isOnce: true,
  };
  return await call(request, { signal: context.signal }, async (response) => {
    const { success, data } = schema.safeParse(await readJson(response));
    if (success) return data;
    throw new UnexpectedAnswerError(response.status, {});
  });
}

function write<T>({ given, context }: Acting, value: T, toText: (value: T) => string): void {
  context.stdout.write(given.values['json'] === true ? `${JSON.stringify(value)}\n` : toText(value));
}

function inWords({
  id,
  state,
  schedule,
  label = '',
  next_run_at: next,
  last_run: last,
}: z.output<typeof watch>): string {
  const when = state === 'paused' ? 'paused' : `next ${next}`;
  return `${id}  ${(last?.outcome ?? '-').padEnd(OUTCOME_WIDTH)}  ${when}  ${schedule}  ${label}\n`;
}

function runInWords({ outcome, started_at: at, url, comparison, error }: z.output<typeof run>): string {
  const what = error === undefined ? (url ?? '') : `${error.error_type}: ${error.message}`;
  const lines = comparison === undefined ? [] : linesOf(comparison).map((line) => `    ${line}\n`);
  return `  ${outcome.padEnd(OUTCOME_WIDTH)}  ${at}  ${what}\n${lines.join('')}`;
}
