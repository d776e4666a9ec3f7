import { type CaptureRequest, isCaptureRequest } from '../../client/capture-request.ts';
import { type Arguments, type CommandSyntax, parseArguments } from '../arguments.ts';
import type { Command, CommandContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { FIELD_FLAGS, readFields } from '../field-flags.ts';
import { extensionOf, fieldsFor, STANDARD_STREAM } from '../output.ts';
import { startOwnService } from '../own-service.ts';
import { createCommandClient, readService, SERVICE_FLAG, TOKEN_FLAG } from '../service-flags.ts';
import { readInput, readTarget } from '../target.ts';
import { type ListedCapture, parseList } from './url-list.ts';
import { runCaptures, submitCaptures } from './run-captures.ts';

const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 64;
const TIMEOUT_MARGIN_MS = 10_000;

export const CAPTURE_SYNTAX: CommandSyntax = {
  name: 'capture',
  usage: ['<address, file or -> [-o FILE] [...]', '--list FILE [-o FOLDER] [...]'],
  summary: 'Captures a page: a URL, a file with HTML or Markdown, or HTML of standard input (-).',
  examples: [
    'capture example.com -o page.png --full-page',
    'capture invoice.html -o invoice.pdf --pdf-format A4',
    'capture localhost:3000 -o phone.webp --device "iPhone 15"',
    'capture --list pages.json -o shots --block-ads --block-cookie-banners',
  ],
  flags: [
    {
      name: 'output',
      short: 'o',
      placeholder: 'FILE',
      description:
        'Output file, or - for standard output. The extension sets the format unless --format does; .json gives a JSON answer. ' +
        'Default: screenshot.<format>. With --list, the folder for the outputs',
    },
    {
      ...SERVICE_FLAG,
      description:
        'URL of a service. Default: CAPTURE_SERVICE. Without a service, this process starts a browser and makes the capture itself',
    },
    TOKEN_FLAG,
    {
      name: 'list',
      placeholder: 'FILE',
      description:
        'Capture a list of pages from a file or standard input (-): a JSON list, or one JSON object per line, with the ' +
        'fields of a capture and an output. Flags apply to all captures',
    },
    {
      name: 'concurrency',
      placeholder: 'N',
      description: `Number of concurrent captures of a list, 1 to ${MAX_CONCURRENCY}. Default: ${DEFAULT_CONCURRENCY}`,
    },
    {
      name: 'background',
      description:
        'Submit the captures to the service as jobs, print their ids and end. The command jobs fetches the results',
    },
    {
      name: 'json',
      description: 'Print a JSON object per capture to standard output, instead of text to standard error',
    },
    { name: 'quiet', short: 'q', description: 'Print only failures to standard error' },
  ],
  fields: FIELD_FLAGS,
  maxPositionals: 1,
};

/** Captures one page or a list of pages, with a service or in this process. */
export const captureCommand: Command = async (args, context) => {
  const given = parseArguments(CAPTURE_SYNTAX, args);
  refuseContradictions(given);
  const concurrency = readConcurrency(given);
  const captures = await readCaptures(given, context);
  const isQuiet = given.values['quiet'] === true || given.values['json'] === true;
  const report = isQuiet ? () => undefined : context.report;
  const options = { ...context, report, complain: context.report, concurrency };
  const asJson = given.values['json'] === true;

  const service = readService(given, context);
  if (service !== undefined) {
    const client = createCommandClient(service);
    if (given.values['background'] === true) return await submitCaptures(captures, { ...options, client });
    return await runCaptures(captures, { ...options, client, asJson });
  }
  if (given.values['background'] === true) {
    throw new UsageError('--background needs a service: set its URL with --service or CAPTURE_SERVICE.');
  }

  report('starting a browser');
  const typed = given.text('list') === undefined ? captures[0]?.fields.url : undefined;
  const own = await startOwnService(context.environment, typed);
  try {
    const client = createCommandClient(
      { address: own.url, token: own.token },
      own.captureTimeoutMs + TIMEOUT_MARGIN_MS,
    );
    return await runCaptures(captures, { ...options, client, asJson, isOwnProcess: true });
  } finally {
    await own.close();
  }
};

function refuseContradictions(given: Arguments): void {
  const [target] = given.positionals;
  const [list, output] = [given.text('list'), given.text('output')];
  if (list !== undefined && target !== undefined) {
    throw new UsageError(`--list has the pages to capture: leave out "${target}".`);
  }
  if (list !== undefined && output === STANDARD_STREAM) {
    throw new UsageError('With --list, the output must be a folder, not -.');
  }
  if (list === undefined && given.text('concurrency') !== undefined) {
    throw new UsageError('--concurrency needs --list.');
  }
  if (given.values['json'] === true && output === STANDARD_STREAM) {
    throw new UsageError('--json and the output - both use standard output.');
  }
  if (given.values['background'] !== true) return;
  const unused = ['output', 'json', 'concurrency'].find((name) => given.values[name] !== undefined);
  if (unused !== undefined) {
    throw new UsageError(`--background only submits: leave out --${unused}, and fetch results with "jobs result".`);
  }
}

async function readCaptures(given: Arguments, context: CommandContext): Promise<ListedCapture[]> {
  const fields = await readFields(given.values, context.stdin);
  const list = given.text('list');
  const output = given.text('output');
  if (list !== undefined) {
    return parseList(await readInput(list, context.stdin), { fields, folder: output ?? '.' });
  }
  const [target] = given.positionals;
  const source = target === undefined ? {} : await readTarget(target, context.stdin);
  const { files } = fields; // replace the files that the page links to
  return [toCapture({ ...fields, ...source, ...(files !== undefined && { files }) }, output)];
}

/** The capture that the command line itself describes. */
function toCapture(fields: Readonly<Record<string, unknown>>, output: string | undefined): ListedCapture {
  if (!isCaptureRequest(fields)) {
    throw new UsageError('The page to capture is missing: a URL, a file, - for standard input, or --template.');
  }
  if (output === undefined) return { fields, output: `screenshot.${extensionOf(fields)}`, isDefault: true };
  const implied: CaptureRequest = fieldsFor(output, fields);
  return { fields: implied, output };
}

function readConcurrency(given: Arguments): number {
  const text = given.text('concurrency') ?? String(DEFAULT_CONCURRENCY);
  const concurrency = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (concurrency >= 1 && concurrency <= MAX_CONCURRENCY) return concurrency;
  throw new UsageError(`--concurrency must be a whole number from 1 to ${MAX_CONCURRENCY}.`);
}
