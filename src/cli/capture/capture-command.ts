import { CaptureError } from '../../client/capture-error.ts';
import { type CaptureClient, createCaptureClient } from '../../client/client.ts';
import { type Arguments, type CommandSyntax, parseArguments } from '../arguments.ts';
import { runJobs } from './capture-jobs.ts';
import type { Command, CommandContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { FIELD_FLAGS, toFields } from '../field-flags.ts';
import { type Job, parseJobs } from './jobs.ts';
import { extensionOf, fieldsFor, STANDARD_STREAM } from '../output.ts';
import { startOwnService } from '../own-service.ts';
import { readService, TOKEN_FLAG } from '../service-flags.ts';
import { readInput, readTarget } from '../target.ts';

const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 64;
const SERVICE_TIMEOUT_MS = 3_600_000; // the service limits its captures itself
const TIMEOUT_MARGIN_MS = 10_000;
const RETRIES = 5;
const NO_JOB = 'none';

export const CAPTURE_SYNTAX: CommandSyntax = {
  name: 'capture',
  usage: ['<address, file or -> [-o FILE] [...]', '--jobs FILE [-o FOLDER] [...]'],
  summary: 'Captures a page: a URL, a file with HTML or Markdown, or HTML of standard input (-).',
  flags: [
    {
      name: 'output',
      short: 'o',
      placeholder: 'FILE',
      description:
        'Output file, or - for standard output. The extension sets the format unless --format does; .json gives a JSON answer. ' +
        'Default: screenshot.<format>. With --jobs, the folder for the outputs',
    },
    {
      name: 'service',
      placeholder: 'URL',
      description:
        'URL of a service. Default: CAPTURE_SERVICE. Without a service, this process makes the capture',
    },
    TOKEN_FLAG,
    {
      name: 'jobs',
      placeholder: 'FILE',
      description:
        'Capture a list of pages from a file or standard input (-): a JSON list, or one JSON object per line, with the ' +
        'fields of a capture and an output. Flags apply to all captures. If the service supports jobs, the whole list is submitted first',
    },
    {
      name: 'concurrency',
      placeholder: 'N',
      description: `Number of concurrent captures, 1 to ${MAX_CONCURRENCY}. Default: ${DEFAULT_CONCURRENCY}`,
    },
    { name: 'quiet', short: 'q', description: 'Print only failures to standard error' },
  ],
  fields: FIELD_FLAGS,
  maxPositionals: 1,
};

/** Captures one page or a list of pages, with a service or in this process. */
export const captureCommand: Command = async (args, context) => {
  const given = parseArguments(CAPTURE_SYNTAX, args);
  const concurrency = readConcurrency(given);
  const jobs = await readJobs(given, context);
  const report = given.values['quiet'] === true ? () => undefined : context.report;

  const service = readService(given, context);
  if (service !== undefined) {
    const client = createCaptureClient({
      service: service.address,
      token: service.token,
      retries: RETRIES,
      timeoutMs: SERVICE_TIMEOUT_MS,
    });
    const submits = given.text('jobs') !== undefined && (await keepsJobs(client, context.signal));
    return await runJobs(jobs, {
      ...context,
      report,
      complain: context.report,
      client,
      concurrency,
      submits,
    });
  }

  report('starting a browser');
  const own = await startOwnService(context.environment);
  try {
    const client = createCaptureClient({
      service: own.url,
      token: own.token,
      retries: RETRIES,
      timeoutMs: own.captureTimeoutMs + TIMEOUT_MARGIN_MS,
    });
    return await runJobs(jobs, {
      ...context,
      report,
      complain: context.report,
      client,
      concurrency,
      ownProcess: true,
    });
  } finally {
    await own.close();
  }
};

/** True if the service stores jobs and lets this client submit some. Requests an unknown job to find out. */
async function keepsJobs(client: CaptureClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.job(NO_JOB, { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof CaptureError && error.errorType === 'NotFoundError';
  }
}

async function readJobs(given: Arguments, context: CommandContext): Promise<Job[]> {
  const list = given.text('jobs');
  const output = given.text('output');
  const fields = toFields(given.values);
  const [target] = given.positionals;
  if (list === undefined) {
    const source = target === undefined ? {} : await readTarget(target, context.stdin);
    const { files } = fields; // instead of those that the page links to
    return [toJob({ ...fields, ...source, ...(files !== undefined && { files }) }, output)];
  }
  if (target !== undefined) throw new UsageError(`--jobs has the pages to capture: leave out "${target}".`);
  if (output === STANDARD_STREAM) throw new UsageError('With --jobs, the output must be a folder, not -.');
  return parseJobs(await readInput(list, context.stdin), { fields, folder: output ?? '.' });
}

/** Fields that bring a page. A template may have its own. */
const SOURCES = ['url', 'html_content', 'markdown_content', 'template'];

/** The job that the command line itself describes. */
function toJob(fields: Readonly<Record<string, unknown>>, output: string | undefined): Job {
  if (SOURCES.every((field) => fields[field] === undefined)) {
    throw new UsageError(
      'The page to capture is missing: a URL, a file, - for standard input, or --template.',
    );
  }
  if (output === undefined) return { fields, output: `screenshot.${extensionOf(fields)}` };
  return { fields: fieldsFor(output, fields), output };
}

function readConcurrency(given: Arguments): number {
  const text = given.text('concurrency') ?? String(DEFAULT_CONCURRENCY);
  const concurrency = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (concurrency >= 1 && concurrency <= MAX_CONCURRENCY) return concurrency;
  throw new UsageError(`--concurrency must be a whole number from 1 to ${MAX_CONCURRENCY}.`);
}
