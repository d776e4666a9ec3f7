import type { z } from 'zod';
import { accessibility } from './accessibility-part.ts';
import { consoleLines } from './console-part.ts';
import { hiddenTextPart } from './hidden-text-part.ts';
import { htmlPart } from './html-part.ts';
import { links } from './links-part.ts';
import { markdownPart } from './markdown-part.ts';
import { metadata } from './metadata-part.ts';
import { network } from './network-part.ts';
import type { Part } from './part.ts';

export const PART_NAMES = [
  'metadata',
  'html',
  'markdown',
  'hidden_text',
  'links',
  'console',
  'network',
  'accessibility',
] as const;
export type PartName = (typeof PART_NAMES)[number];

/** JSON text of the requested parts. Text, because pages make it and answers contain it as it is. */
export type Parts = ReadonlyMap<PartName, Buffer>;

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
