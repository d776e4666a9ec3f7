import { z } from 'zod';
import { callText } from '../../browser/page/evaluate.ts';
import { pageSource } from './in-page/page-source.ts';
import { type Part, PART_LIMITS } from './part.ts';

/** The markup, as in `format: html`. */
export const htmlPart: Part = {
  description: 'Markup after scripts have run; with `selector`, the markup of that element',
  schema: z.object({ text: z.string(), truncated: z.literal(true).optional() }),
  script: ({ selector }) => `() => ${callText(pageSource, [selector !== undefined, PART_LIMITS.text])}`,
};
