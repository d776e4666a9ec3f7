import { z } from 'zod';
import { callText } from '../../browser/page/evaluate.ts';
import { pageLinks } from './in-page/page-links.ts';
import { rootsOf } from '../../steps/in-page/roots-of.ts';
import { addressResolver } from '../markdown/in-page/address-resolver.ts';
import { type Part, PART_LIMITS } from './part.ts';

const BOUNDS = { maxEntries: 10_000, maxTextLength: PART_LIMITS.name, maxReadLength: 5_000_000 };

/** Links of the page. */
export const links: Part = {
  description: `All links of the page in document order, with absolute URLs: at most ${BOUNDS.maxEntries}`,
  schema: z.object({
    entries: z.array(z.object({ url: z.string(), text: z.string() })),
    truncated: z.literal(true).optional(),
  }),
  script: () => `() => ${callText(pageLinks, [BOUNDS, rootsOf, addressResolver])}`,
};
