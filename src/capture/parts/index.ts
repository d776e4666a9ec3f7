import { accessibility } from './accessibility.ts';
import { consoleLines } from './console.ts';
import { html } from './html.ts';
import { links } from './links.ts';
import { markdownPart } from './markdown.ts';
import { metadata } from './metadata.ts';
import { network } from './network.ts';
import type { Part } from './part.ts';

export const PART_NAMES = [
  'metadata',
  'html',
  'markdown',
  'links',
  'console',
  'network',
  'accessibility',
] as const;
export type PartName = (typeof PART_NAMES)[number];

/** All parts of a JSON answer, in their order. */
export const PARTS: Readonly<Record<PartName, Part>> = {
  metadata,
  html,
  markdown: markdownPart(),
  links,
  console: consoleLines,
  network,
  accessibility,
};
