import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { UNUSED_FIELDS } from '../../parts/compare/compare-call.ts';
import { createCalls } from '../client/calls.ts';
import { CaptureError, UnexpectedAnswerError } from '../client/capture-error.ts';
import { encodeJson, isCaptureRequest, toJsonFields } from '../client/capture-request.ts';
import { readJson } from '../client/json.ts';
import { type Arguments, type CommandSyntax, parseArguments } from './arguments.ts';
import type { Command, CommandContext } from './context.ts';
import { differenceFields, linesOf, toIgnored } from './differences.ts';
import { describeFailure, EXIT, exitCodeOf, OutputError, UsageError } from './exit.ts';
import { FIELD_FLAGS, readFields } from './field-flags.ts';
import { writeOutput } from './output.ts';
import { startOwnService } from './own-service.ts';
import { readService, SERVICE_FLAG, type ServiceAccess, TOKEN_FLAG } from './service-flags.ts';
import { readTarget } from './target.ts';

/** Exit codes for sides that differ, and for all else that a build must not take for a difference. */
const [CHANGED, FAILED] = [EXIT.failed, EXIT.usage];
const PICTURE = /\.(?:png|jpe?g|webp|avif)$/i;
/** Capture fields that are no flags here, because they change nothing about a comparison. */
const UNUSED: ReadonlySet<string> = new Set(UNUSED_FIELDS);

export const COMPARE_SYNTAX: CommandSyntax = {
  name: 'compare',
  usage: ['<before> <after> [-o FILE] [--ignore SELECTOR or X,Y,WIDTH,HEIGHT] [...]'],
  summary:
    'Compares two pages or pictures, each a URL, a file with HTML or Markdown, or a picture. Exits with 1 if they differ, with 2 for a wrong call or a page that fails, and with 3 without a service.',
  examples: [
    'compare https://example.com/ https://staging.example.com/ --full-page -o difference.png',
    'compare approved.png localhost:3000 --window-width 1280 --ignore .clock',
  ],
  flags: [
    {
      name: 'output',
      short: 'o',
      placeholder: 'FILE',
      description: 'Write the second picture with the regions that differ marked: .png or .webp',
    },
    {
      name: 'ignore',
      placeholder: 'TEXT',
      isRepeatable: true,
      description: 'Leave out a box of the pictures (X,Y,WIDTH,HEIGHT), or all matches of a CSS selector in pages',
    },
    { name: 'threshold', placeholder: 'N', description: 'Largest colour distance that counts as equal. Default: 0.01' },
    { name: 'max-ratio', placeholder: 'N', description: 'Exit with 0 if at most this share differs, from 0 to 1' },
    { name: 'mode', placeholder: 'TEXT', description: 'pixels, or text to compare lines. Default: pixels' },
    { name: 'align', placeholder: 'TEXT', description: 'rows, or none to compare place by place. Default: rows' },
    {
      ...SERVICE_FLAG,
      description: 'URL of a service. Default: CAPTURE_SERVICE. Without a service, this process starts a browser',
    },
    TOKEN_FLAG,
    { name: 'json', description: 'Print the JSON answer of the service' },
    { name: 'quiet', short: 'q', description: 'Print nothing if the exit code is 0, for cron' },
  ],
  fields: FIELD_FLAGS.filter(({ name }) => !UNUSED.has(name.replaceAll('-', '_'))),
  maxPositionals: 2,
};

const comparison = z.looseObject({
  changed: z.boolean(),
  ratio: z.number(),
  within: z.boolean().optional(),
  warnings: z.array(z.string()).default([]),
  ...differenceFields,
  picture: z.object({ content_type: z.string(), base64: z.string() }).optional(),
});
type Comparison = z.infer<typeof comparison>;

/** Compares two sides, with a service or in this process. */
export const compareCommand: Command = async (args, context) => {
  const given = parseArguments(COMPARE_SYNTAX, args);
  const request = await readRequest(given, context);
  const service = readService(given, context);
  if (service !== undefined) return await compare(request, { service, given, context });
  if (given.values['quiet'] !== true) context.report('starting a browser');
  const typed = Object(request['after'])['capture']?.url ?? Object(request['before'])['capture']?.url;
  const own = await startOwnService(context.environment, typeof typed === 'string' ? typed : undefined);
  try {
    return await compare(request, { service: { address: own.url, token: own.token }, given, context });
  } finally {
    await own.close();
  }
};

interface Comparing {
  readonly service: ServiceAccess;
  readonly given: Arguments;
  readonly context: CommandContext;
}

async function compare(request: object, { service, given, context }: Comparing): Promise<number> {
  try {
    const call = createCalls({ service: service.address, token: service.token });
    const address = new URL(`${service.address}/compare`);
    const answer = await call(
      { address, method: 'POST', encoded: encodeJson(request) },
      { signal: context.signal },
      readComparison,
    );
    const output = given.text('output');
    if (output !== undefined && answer.picture !== undefined)
      await writeOutput(output, Buffer.from(answer.picture.base64, 'base64'), context.stdout);
    const code = answer.changed && answer.within !== true ? CHANGED : EXIT.ok;
    if (code !== EXIT.ok || given.values['quiet'] !== true)
      context.stdout.write(given.values['json'] === true ? `${JSON.stringify(answer)}\n` : inWords(answer));
    for (const warning of answer.warnings) context.report(WARNINGS[warning] ?? warning);
    return code;
  } catch (error) {
    if (error instanceof OutputError && !error.lacksReader) {
      context.report(error.message);
      return FAILED;
    }
    if (!(error instanceof CaptureError)) throw error;
    context.report(describeFailure(error));
    const code = exitCodeOf(error);
    return code === EXIT.failed ? FAILED : code;
  }
}

/** @throws UsageError for sides and flags that make no request */
async function readRequest(given: Arguments, { stdin }: CommandContext): Promise<Readonly<Record<string, unknown>>> {
  const [before, after] = given.positionals;
  if (before === undefined || after === undefined) throw new UsageError('Two sides are needed: before and after.');
  const fields = await readFields(given.values, stdin);
  const sideOf = async (target: string): Promise<object> => {
    if (PICTURE.test(target) && !/^https?:/i.test(target)) return { base64: await readPicture(target) };
    const capture = { ...fields, ...(await readTarget(target, stdin)) };
    return { capture: isCaptureRequest(capture) ? toJsonFields(capture) : capture };
  };
  const [threshold, most] = [given.text('threshold'), given.text('max-ratio')];
  return {
    before: await sideOf(before),
    after: await sideOf(after),
    ignore: given.texts('ignore').map(toIgnored),
    align: given.text('align'),
    mode: given.text('mode'),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
    ...(most !== undefined && { max_ratio: Number(most) }),
    format: formatOf(given.text('output')),
  };
}

async function readPicture(path: string): Promise<string> {
  try {
    return await readFile(path, 'base64');
  } catch (error) {
    throw new UsageError(`There is no file ${path} that can be read.`, { cause: error });
  }
}

function formatOf(output: string | undefined): string | undefined {
  if (output === undefined) return undefined;
  const [, extension] = /\.(png|webp)$/i.exec(output) ?? [];
  if (extension === undefined) throw new UsageError(`The output ${output} must end in .png or .webp.`);
  return extension.toLowerCase();
}

/** @throws UnexpectedAnswerError if another program answered */
async function readComparison(response: Response): Promise<Comparison> {
  const { success, data } = comparison.safeParse(await readJson(response));
  if (success) return data;
  throw new UnexpectedAnswerError(response.status, {});
}

const WARNINGS: Readonly<Record<string, string>> = {
  ignore_not_found: 'warning: a selector of --ignore matches nothing',
  http_error: 'warning: a page answered with a status of 400 or above',
};

function inWords({ changed, ratio, regions, changes }: Comparison): string {
  if (!changed) return 'no differences\n';
  return `${(ratio * 100).toFixed(3)} % differs\n${linesOf({ regions, changes }).join('\n')}\n`;
}
