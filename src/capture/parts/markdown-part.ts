import { z } from 'zod';
import { callText } from '../../browser/page/evaluate.ts';
import { MARKDOWN_TOOLS, readConverters, VISIBILITY_TOOLS } from '../markdown/markdown.ts';
import { toMarkdownPart as asPart } from './in-page/to-markdown-part.ts';
import { keptText } from '../markdown/in-page/kept-text.ts';
import { pageMarkdown } from '../markdown/in-page/page-markdown.ts';
import { plainText } from '../markdown/in-page/plain-text.ts';
import { sourcePart } from '../../steps/in-page/source-part.ts';
import { type Part, PART_LIMITS } from './part.ts';

const BOUNDS = { maxLength: Number.MAX_SAFE_INTEGER, partLength: PART_LIMITS.text };

/** Markdown, as in `format: markdown`. */
export function markdownPart(): Part {
  return {
    description: 'Markdown as in `format=markdown`, with `main_content`, `visible_text` and `selector`',
    schema: z.object({ text: z.string(), truncated: z.literal(true).optional() }),
    script: async ({ selector, main_content: isMainContent, visible_text: isVisible }, { isPlain }) => {
      if (isPlain) return `() => ${callOf(callText(keptText, [BOUNDS, plainText, sourcePart]))}`;
      const expression = await readConverters();
      const request = { ...BOUNDS, isElement: selector !== undefined, isMainContent, isVisible };
      return `() => ${callOf(callText(pageMarkdown, [request, ...MARKDOWN_TOOLS, ...VISIBILITY_TOOLS], expression))}`;
    },
  };
}

function callOf(made: string): string {
  return `(${asPart.toString()})(${made})`;
}
