import { z } from 'zod';
import { callText } from '../../browser/page/evaluate.ts';
import { addressResolver } from '../markdown/in-page/address-resolver.ts';
import { elementCopier } from '../markdown/in-page/element-copier.ts';
import { visibleCopy } from '../markdown/in-page/visible-copy.ts';
import { VISIBILITY_TOOLS } from '../markdown/markdown.ts';
import { hiddenText as takeHiddenText } from './in-page/hidden-text.ts';
import type { Part } from './part.ts';

/** Texts that `visible_text` removes. */
export const hiddenTextPart: Part = {
  description:
    'Texts that `visible_text` removes from the markdown, each with the reason why a person cannot see it: at most 1,000. Needs `visible_text`',
  schema: z.object({
    entries: z.array(z.object({ text: z.string(), reason: z.string() })),
    truncated: z.literal(true).optional(),
  }),
  script: ({ selector }) =>
    `() => ${callText(takeHiddenText, [selector !== undefined, elementCopier, addressResolver, visibleCopy, ...VISIBILITY_TOOLS])}`,
};
