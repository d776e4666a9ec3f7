import { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { quoted } from '../../../quoted.ts';

/** The used parts of a JSON answer. */
const snapshotSchema = z.object({
  metadata: z.object({
    title: z.string().nullable(),
    description: z.string().nullable(),
    language: z.string().nullable(),
    canonical: z.string().nullable(),
    open_graph: z.record(z.string(), z.string()),
    json_ld: z.array(z.string()),
    truncated: z.literal(true).optional(),
  }),
  accessibility: z.object({ tree: z.unknown(), truncated: z.literal(true).optional() }),
});

const nodeSchema = z.object({
  role: z.string(),
  name: z.string(),
  children: z.array(z.unknown()).optional(),
});

interface Snapshot {
  readonly text: string;
  /** True if the page has more. */
  readonly isCut: boolean;
}

/** Maximum characters of a value, to leave room for the tree. */
const MAX_VALUE_LENGTH = 500;
const MAX_NAME_LENGTH = 60;
/** Maximum size of the JSON answer: parsing a larger one would block the event loop. */
const MAX_ANSWER_BYTES = 8_388_608;

/**
 * Converts a JSON answer with metadata and accessibility tree to text with one line per node. Text of the page is quoted, so that it
 * stays on its line.
 * @throws ServiceError ResultTooLargeError
 */
export function snapshotOf(answer: Buffer): Snapshot {
  if (answer.length > MAX_ANSWER_BYTES) {
    throw new ServiceError('ResultTooLargeError', undefined, {
      details: `The page is too large for one snapshot (${answer.length} bytes): use read_page or capture_page instead`,
    });
  }
  const { metadata, accessibility } = snapshotSchema.parse(JSON.parse(answer.toString('utf8')));
  const { title, description, language, canonical, open_graph: openGraph, json_ld: jsonLd } = metadata;
  const head = [
    ...Object.entries({ title, description, language, canonical }),
    // The names of Open Graph properties come from the page as well.
    ...Object.entries(openGraph).map(([name, value]) => [nameOf(name), value] as const),
  ];
  const lines = [
    'Head:',
    ...head.flatMap(([name, value]) =>
      value === null ? [] : [`${name}: ${quoted(value, MAX_VALUE_LENGTH)}`],
    ),
    'Accessibility tree:',
    ...linesOf(accessibility.tree, 0),
    ...(jsonLd.length > 0 ? ['JSON-LD:', ...jsonLd.map((text) => quoted(text, Infinity))] : []),
  ];
  return {
    text: lines.join('\n'),
    isCut: metadata.truncated === true || accessibility.truncated === true,
  };
}

/** The depth of the tree is limited by the service. */
function linesOf(value: unknown, depth: number): string[] {
  const { role, name, children = [] } = nodeSchema.parse(value);
  const line = `${'  '.repeat(depth)}- ${nameOf(role)}${name === '' ? '' : ` ${quoted(name, Infinity)}`}`;
  return [line, ...children.flatMap((child) => linesOf(child, depth + 1))];
}

/** Returns a name unchanged if it is a single word, otherwise quoted. */
function nameOf(name: string): string {
  return /^[\w:.-]{1,60}$/.test(name) ? name : quoted(name, MAX_NAME_LENGTH);
}
