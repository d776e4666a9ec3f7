import { z } from 'zod';
import { callText } from '../../browser/page/evaluate.ts';
import { pageMetadata } from './in-page/page-metadata.ts';
import { addressResolver } from '../markdown/in-page/address-resolver.ts';
import { type Part, PART_LIMITS } from './part.ts';

const BOUNDS = { maxEntries: 100, maxTextLength: PART_LIMITS.address, maxJsonLength: 500_000 };

/** Metadata in the head of the page. */
export const metadata = {
  description: 'Metadata in the head of the page. `json_ld` has the raw texts, not checked for valid JSON',
  schema: z.object({
    title: z.string().nullable(),
    description: z.string().nullable(),
    language: z.string().nullable(),
    canonical: z.string().nullable(),
    icons: z.array(z.object({ url: z.string(), sizes: z.string().optional(), type: z.string().optional() })),
    open_graph: z.record(z.string(), z.string()),
    json_ld: z.array(z.string()),
    truncated: z.literal(true).optional(),
  }),
  script: () => `() => ${callText(pageMetadata, [BOUNDS, addressResolver])}`,
} satisfies Part;
