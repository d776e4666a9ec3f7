import { z } from 'zod';
import { callText } from '../../core/browser/page/evaluate.ts';
import { pageMetadata } from './in-page/page-metadata.ts';
import { elementsSchema, MOST_ELEMENTS } from './elements.ts';
import { type Part, PART_LIMITS } from './answer-part.ts';
import { pageSource } from './in-page/page-source.ts';
import { pageElements } from './in-page/page-elements.ts';
import { pageLinks } from './in-page/page-links.ts';
import { hiddenText as takeHiddenText } from './in-page/hidden-text.ts';

const METADATA_BOUNDS = { maxEntries: 100, maxTextLength: PART_LIMITS.address, maxJsonLength: 500_000 };

/** Metadata in the head of the page. */
export const metadata = {
  description:
    'Metadata of the page. `author`, `published` and `modified` are from `meta`, JSON-LD or `time`, as the page writes them. `json_ld` has the raw texts, not checked for valid JSON',
  schema: z.object({
    title: z.string().nullable(),
    description: z.string().nullable(),
    language: z.string().nullable(),
    author: z.string().nullable(),
    published: z.string().nullable(),
    modified: z.string().nullable(),
    canonical: z.string().nullable(),
    icons: z.array(z.object({ url: z.string(), sizes: z.string().optional(), type: z.string().optional() })),
    open_graph: z.record(z.string(), z.string()),
    json_ld: z.array(z.string()),
    truncated: z.literal(true).optional(),
  }),
  script: () => `() => ${callText(pageMetadata, [METADATA_BOUNDS])}`,
} satisfies Part;

/** The markup, as in `format: html`. */
export const htmlPart: Part = {
  description: 'Markup after scripts have run; with `selector`, the markup of that element',
  schema: z.object({ text: z.string(), truncated: z.literal(true).optional() }),
  script: ({ selector }) => `() => ${callText(pageSource, [selector !== undefined, PART_LIMITS.text])}`,
};

const LINK_BOUNDS = { maxEntries: 10_000, maxTextLength: PART_LIMITS.name, maxReadLength: 5_000_000 };

/** Links of the page. */
export const links: Part = {
  description: `All links of the page in document order, with absolute URLs: at most ${LINK_BOUNDS.maxEntries}`,
  schema: z.object({
    entries: z.array(z.object({ url: z.string(), text: z.string() })),
    truncated: z.literal(true).optional(),
  }),
  script: () => `() => ${callText(pageLinks, [LINK_BOUNDS])}`,
};

/** Texts that `visible_text` removes. */
export const hiddenTextPart: Part = {
  description:
    'Texts that `visible_text` removes from the markdown, each with the reason why a person cannot see it: at most 1,000. Needs `visible_text`',
  schema: z.object({
    entries: z.array(z.object({ text: z.string(), reason: z.string() })),
    truncated: z.literal(true).optional(),
  }),
  script: ({ selector }) => `() => ${callText(takeHiddenText, [selector !== undefined])}`,
};

const ELEMENT_BOUNDS = { maxEntries: MOST_ELEMENTS, maxTextLength: 200, maxNameLength: 100 };

/** Elements with their boxes and texts, for comparisons. Clients cannot request it. */
export const elementsPart = {
  description: `Elements of the page with their boxes and texts: at most ${ELEMENT_BOUNDS.maxEntries}`,
  schema: elementsSchema,
  script: ({ maskedSelectors = [], ...options }) => {
    const isAtTop = options.full_page || options.selector !== undefined || options.clip !== undefined;
    return `() => ${callText(pageElements, [maskedSelectors, isAtTop, ELEMENT_BOUNDS])}`;
  },
} satisfies Part;
