import { z } from 'zod';
import { ServiceError } from '../../../errors.ts';
import { quoted } from '../../../quoted.ts';

/** What a json answer holds of a page, as far as it is told. */
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
  /** True where the page has more than that. */
  readonly isCut: boolean;
}

/** Of a title or the like: more of it would leave no room for the tree. */
const MAX_VALUE_LENGTH = 500;
const MAX_NAME_LENGTH = 60;
/** Of a json answer, which holds the markup as well: parsing a larger one would hold everybody up. */
const MAX_ANSWER_BYTES = 8_388_608;

/**
 * A json answer with metadata and accessibility as text: what the head says, the tree of roles and names, a line each, and what there is for
 * machines. What the page has written stands in quotes, so that it keeps to its line.
 * @throws ServiceError ResultTooLargeError
 */
export function snapshotOf(answer: Buffer): Snapshot {
  if (answer.length > MAX_ANSWER_BYTES) {
    throw new ServiceError('ResultTooLargeError', undefined, {
      details: `The page is too large to be looked at as a whole (${answer.length} bytes): read_page reads it, capture_page shows it`,
    });
  }
  const { metadata, accessibility } = snapshotSchema.parse(JSON.parse(answer.toString('utf8')));
  const { title, description, language, canonical, open_graph: openGraph, json_ld: jsonLd } = metadata;
  const head = [
    ...Object.entries({ title, description, language, canonical }),
    // The page writes these names, too.
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

/** The service bounds the depth of the tree. */
function linesOf(value: unknown, depth: number): string[] {
  const { role, name, children = [] } = nodeSchema.parse(value);
  const line = `${'  '.repeat(depth)}- ${nameOf(role)}${name === '' ? '' : ` ${quoted(name, Infinity)}`}`;
  return [line, ...children.flatMap((child) => linesOf(child, depth + 1))];
}

/** A name as it is, or quoted where it is more than a word. */
function nameOf(name: string): string {
  return /^[\w:.-]{1,60}$/.test(name) ? name : quoted(name, MAX_NAME_LENGTH);
}
