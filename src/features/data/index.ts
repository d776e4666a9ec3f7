import { z } from 'zod';
import { accessibility } from './accessibility-part.ts';
import { consoleLines } from './console-part.ts';
import { extractFields } from './extract/extract-fields.ts';
import { extractPart } from './extract/extract-part.ts';
import { markdownPart } from './markdown-part.ts';
import { elementsPart, hiddenTextPart, htmlPart, links, metadata } from './page-parts.ts';
import { network } from './network-part.ts';
import { storageStatePart } from './storage-state-part.ts';
import type { ComparedOptions } from '../../core/steps/area.ts';
import type { Part } from './answer-part.ts';
import type { Parts } from '../../core/feature.ts';
import { fieldsOf } from '../../core/steps/common/fields.ts';

/** Parts that clients can request. */
export const OPEN_PART_NAMES = [
  'metadata',
  'html',
  'markdown',
  'hidden_text',
  'links',
  'console',
  'network',
  'accessibility',
  'extract',
  'storage_state',
] as const;
export const PART_NAMES = [...OPEN_PART_NAMES, 'elements'] as const;
export type PartName = (typeof PART_NAMES)[number];

/** All parts of a JSON answer, in their order. */
export const PARTS: Readonly<Record<PartName, Part>> = {
  metadata,
  html: htmlPart,
  markdown: markdownPart(),
  hidden_text: hiddenTextPart,
  links,
  console: consoleLines,
  network,
  accessibility,
  extract: extractPart,
  storage_state: storageStatePart,
  elements: elementsPart,
};

/**
 * Parses a part of a capture, for code that does not pass on its text.
 * @throws Error if the part was not requested, or the page has made it unreadable
 */
export function parsePart<Schema extends z.ZodObject>(
  parts: Parts,
  name: PartName,
  { schema }: { readonly schema: Schema },
): z.output<Schema> {
  return schema.parse(JSON.parse(parts.get(name)?.toString('utf8') ?? 'null'));
}

const NAMES_ERROR = `must be a list of ${OPEN_PART_NAMES.join(', ')}`;

export const dataFields = fieldsOf('page', {
  include: z
    .array(z.enum(OPEN_PART_NAMES, { error: `must be one of ${OPEN_PART_NAMES.join(', ')}` }), { error: NAMES_ERROR })
    .max(OPEN_PART_NAMES.length, { error: NAMES_ERROR })
    .meta({
      description: 'Additional parts of a JSON answer, of the same moment as the file. Needs `response_type=json`',
      example: ['metadata', 'markdown'],
      accepts: `list of ${OPEN_PART_NAMES.map((name) => `\`${name}\``).join(', ')}`,
    })
    .optional(),
  ...extractFields.shape,
});

/** What a capture reads beside its file. A comparison requests `elements` too. */
export type DataOptions = Omit<z.output<typeof dataFields>, 'include'> &
  ComparedOptions & { readonly include?: readonly PartName[] | undefined };
