import { z } from 'zod';
import { answerBytes } from '../../core/capture/answer.ts';
import { accessibility } from '../../features/data/accessibility-part.ts';
import { parsePart } from '../../features/data/index.ts';
import { metadata } from '../../features/data/page-parts.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { quoted } from '../../core/ground/quoted.ts';
import type { FinishedCall } from './finished-call.ts';

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
/** Maximum size of the page as JSON. Models can't use a larger one. */
const MAX_PAGE_BYTES = 8_388_608;

/**
 * Converts the metadata and accessibility tree of a page to text with one line per node. Text of the page is quoted, so
 * that it stays on its line.
 * @throws ServiceError ResultTooLargeError
 */
export function snapshotOf({ options, answer }: Pick<FinishedCall, 'options' | 'answer'>): Snapshot {
  const bytes = answerBytes(options, answer);
  if (bytes > MAX_PAGE_BYTES) {
    throw new ServiceError('ResultTooLargeError', undefined, {
      details: `The page is too large for one snapshot (${bytes} bytes): use read_page or capture_page instead`,
    });
  }
  const page = parsePart(answer.parts, 'metadata', metadata);
  const { tree, truncated: isTreeCut = false } = parsePart(answer.parts, 'accessibility', accessibility);
  const { title, description, language, author, published, canonical, open_graph: openGraph, json_ld: jsonLd } = page;
  const head = [
    ...Object.entries({ title, description, language, author, published, canonical }),
    // The names of Open Graph properties come from the page as well.
    ...Object.entries(openGraph).map(([name, value]) => [nameOf(name), value] as const),
  ];
  const lines = [
    'Head:',
    ...head.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${quoted(value, MAX_VALUE_LENGTH)}`])),
    'Accessibility tree:',
    ...linesOf(tree, 0),
    ...(jsonLd.length > 0 ? ['JSON-LD:', ...jsonLd.map((text) => quoted(text, Infinity))] : []),
  ];
  return {
    text: lines.join('\n'),
    isCut: page.truncated === true || isTreeCut,
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
