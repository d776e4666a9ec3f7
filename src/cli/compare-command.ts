import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { createCalls } from '../client/calls.ts';
import { CaptureError, UnexpectedAnswerError } from '../client/capture-error.ts';
import { encodeJson, isCaptureRequest, toJsonFields } from '../client/capture-request.ts';
import { readJson } from '../client/json.ts';
import { type Arguments, type CommandSyntax, parseArguments } from './arguments.ts';
import type { Command, CommandContext } from './context.ts';
import { describeFailure, EXIT, exitCodeOf, UsageError } from './exit.ts';
import { FIELD_FLAGS, readFields } from './field-flags.ts';
import { writeOutput } from './output.ts';
import { startOwnService } from './own-service.ts';
import { readService, SERVICE_FLAG, type ServiceAccess, TOKEN_FLAG } from './service-flags.ts';
import { readTarget } from './target.ts';

/** Exit code for sides that differ. A page that fails has the same code: in a build, both need a person. */
const CHANGED = EXIT.failed;
const PICTURE = /\.(?:png|jpe?g|webp|avif)$/i;
const MAX_LINES = 20;
/** Capture fields that are no flags here: the comparison has a flag or value of its own. */
const OWN_FLAGS: ReadonlySet<string> = new Set(['format']);

export const COMPARE_SYNTAX: CommandSyntax = {
  name: 'compare',
  usage: ['<before> <after> [-o FILE] [--ignore SELECTOR or X,Y,WIDTH,HEIGHT] [...]'],
  summary:
    'Compares two pages or pictures, each a URL, a file with HTML or Markdown, or a picture. Exits with 1 if they differ.',
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
    { name: 'align', placeholder: 'TEXT', description: 'rows, or none to compare place by place. Default: rows' },
    {
      ...SERVICE_FLAG,
      description: 'URL of a service. Default: CAPTURE_SERVICE. Without a service, this process starts a browser',
    },
    TOKEN_FLAG,
    { name: 'json', description: 'Print the JSON answer of the service' },
  ],
  fields: FIELD_FLAGS.filter(({ name }) => !OWN_FLAGS.has(name)),
  maxPositionals: 2,
};

const comparison = z.looseObject({
  changed: z.boolean(),
  ratio: z.number(),
  regions: z.array(
    z.looseObject({
      kind: z.string(),
      x: z.number(),
      y: z.number(),
      width: z.number(),
      height: z.number(),
      selector: z.string().optional(),
      before: z.string().optional(),
      after: z.string().optional(),
    }),
  ),
  picture: z.object({ content_type: z.string(), base64: z.string() }).optional(),
});
type Comparison = z.infer<typeof comparison>;

/** Compares two sides, with a service or in this process. */
export const compareCommand: Command = async (args, context) => {
  const given = parseArguments(COMPARE_SYNTAX, args);
  const request = await readRequest(given, context);
  const service = readService(given, context);
  if (service !== undefined) return await compare(request, { service, given, context });
  context.report('starting a browser');
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
    context.stdout.write(given.values['json'] === true ? `${JSON.stringify(answer)}\n` : inWords(answer));
    return answer.changed ? CHANGED : EXIT.ok;
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    context.report(describeFailure(error));
    return exitCodeOf(error);
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
  const threshold = given.text('threshold');
  return {
    before: await sideOf(before),
    after: await sideOf(after),
    ignore: given.texts('ignore').map(toIgnored),
    align: given.text('align'),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
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

function toIgnored(text: string): object {
  const [, x, y, width, height] = /^(\d+),(\d+),(\d+),(\d+)$/.exec(text) ?? [];
  if (x === undefined) return { selector: text };
  return { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
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

function inWords({ changed, ratio, regions }: Comparison): string {
  if (!changed) return 'no differences\n';
  const lines = regions.slice(0, MAX_LINES).map(({ kind, x, y, width, height, selector, before, after }) => {
    const texts = before !== undefined && after !== undefined && before !== after ? `: ${before} -> ${after}` : '';
    return `${kind} ${x},${y},${width},${height}${selector === undefined ? '' : ` ${selector}`}${texts}`;
  });
  if (regions.length > MAX_LINES) lines.push(`and ${regions.length - MAX_LINES} more regions`);
  return `${(ratio * 100).toFixed(3)} % differs\n${lines.join('\n')}\n`;
}
