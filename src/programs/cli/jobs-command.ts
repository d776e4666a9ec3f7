import { CaptureError } from '../client/capture-error.ts';
import type { CaptureClient } from '../client/client.ts';
import { type CaptureJob, isJobState, JOB_STATES, type JobState } from '../client/job-data.ts';
import { type Arguments, type CommandSyntax, parseArguments } from './arguments.ts';
import { describeResult } from './capture/run-captures.ts';
import type { Command, CommandContext } from './context.ts';
import { describeFailure, EXIT, exitCodeOf, UsageError } from './exit.ts';
import { extensionOfType, writeOutput } from './output.ts';
import { createCommandClient, requireService, SERVICE_FLAG, TOKEN_FLAG } from './service-flags.ts';

const STATE_WIDTH = Math.max(...JOB_STATES.map(({ length }) => length));

export const JOBS_SYNTAX: CommandSyntax = {
  name: 'jobs',
  usage: ['list [--state STATE]', 'get <id>', 'result <id> [-o FILE]', 'cancel <id>'],
  summary: 'Lists the jobs of a service, waits for the result of a job, or cancels one.',
  examples: ['jobs list --state failed', 'jobs result 01a2137f-4b91-7000-85d3-7918f0919805 -o page.pdf'],
  flags: [
    { name: 'state', placeholder: JOB_STATES.join('|'), description: 'List only jobs in this state' },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FILE',
      description: 'Output file of the result, or - for standard output. Default: screenshot.<format>',
    },
    SERVICE_FLAG,
    TOKEN_FLAG,
    { name: 'json', description: 'Print each job as a line of JSON' },
  ],
  fields: [],
  maxPositionals: 2,
};

/** Lists, shows, awaits or cancels jobs of a service. */
export const jobsCommand: Command = async (args, context) => {
  const given = parseArguments(JOBS_SYNTAX, args);
  const run = actionOf(given);
  const client = createCommandClient(requireService(given, context));
  try {
    await run(client, context);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    context.report(describeFailure(error));
    return exitCodeOf(error);
  }
};

type Action = (client: CaptureClient, context: CommandContext) => Promise<void>;

/** @throws UsageError if the command line has no action, or flags of another one */
function actionOf(given: Arguments): Action {
  const [action = 'list', id] = given.positionals;
  const state = readState(given);
  const output = given.text('output');
  if (state !== undefined && action !== 'list') throw new UsageError('--state is for "jobs list".');
  if (output !== undefined && action !== 'result') throw new UsageError('--output is for "jobs result".');
  const show = given.values['json'] === true ? showAsJson : showAsText;

  if (action === 'list' && id === undefined) {
    return async (client, { stdout, signal }) => {
      for await (const job of client.jobs({ signal, ...(state !== undefined && { state }) })) stdout.write(show(job));
    };
  }
  if (id !== undefined && (action === 'get' || action === 'cancel')) {
    return async (client, { stdout, signal }) => {
      stdout.write(show(await (action === 'get' ? client.job(id, { signal }) : client.cancel(id, { signal }))));
    };
  }
  if (id !== undefined && action === 'result') {
    return async (client, { stdout, signal, report }) => {
      const result = await client.wait(id, { signal });
      const path = output ?? `screenshot.${extensionOfType(result.contentType)}`;
      await writeOutput(path, result.bytes, stdout);
      report(`${id} -> ${describeResult(path, result)}`);
    };
  }
  throw new UsageError(
    'Use "jobs list", "jobs get <id>", "jobs result <id>" or "jobs cancel <id>". capture-service jobs --help shows more.',
  );
}

function readState(given: Arguments): JobState | undefined {
  const state = given.text('state');
  if (state === undefined || isJobState(state)) return state;
  throw new UsageError(`--state must be one of ${JOB_STATES.join(', ')}.`);
}

function showAsText({ id, state, createdAt, error }: CaptureJob): string {
  const reason = error === undefined ? '' : `  ${error.errorType}: ${error.message}`;
  return `${id}  ${state.padEnd(STATE_WIDTH)}  ${createdAt}${reason}\n`;
}

function showAsJson(job: CaptureJob): string {
  return `${JSON.stringify(job)}\n`;
}
