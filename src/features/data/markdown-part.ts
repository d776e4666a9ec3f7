import { z } from 'zod';
import { callText } from '../../core/browser/page/evaluate.ts';
import { readConverters } from '../markdown/markdown.ts';
import { toMarkdownPart as asPart } from './in-page/take-parts.ts';
import { keptText, pageMarkdown } from '../markdown/in-page/page-markdown.ts';
import { type Part, PART_LIMITS } from './answer-part.ts';

const BOUNDS = { maxLength: Number.MAX_SAFE_INTEGER, partLength: PART_LIMITS.text };

/** Markdown, as in `format: markdown`. */
export function markdownPart(): Part {
  return {
    description: 'Markdown as in `format=markdown`, with `main_content`, `visible_text` and `selector`',
    schema: z.object({ text: z.string(), truncated: z.literal(true).optional() }),
    script: async ({ selector, main_content, visible_text: isVisible, markdown_images: pictures }, { isPlain }) => {
      if (isPlain) return `() => ${callOf(callText(keptText, [BOUNDS]))}`;
      const expression = await readConverters();
      const request = {
        ...BOUNDS,
        isElement: selector !== undefined,
        isMainContent: main_content,
        isVisible,
        pictures,
      };
      return `() => ${callOf(callText(pageMarkdown, [request], expression))}`;
    },
  };
}

function callOf(made: string): string {
  return `(${asPart.toString()})(${made})`;
}
