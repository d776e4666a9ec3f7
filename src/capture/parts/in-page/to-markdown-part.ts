import type { SourcePart } from '../../../steps/in-page/source-part.ts';
import type { PartTaken } from './part-taken.ts';

/** Converts the result of `pageMarkdown` or `keptText` to a part. Runs in the page. */
export function toMarkdownPart(
  made: (SourcePart & { readonly isFound?: boolean; readonly isPlain?: boolean; readonly isHidden?: boolean }) | null,
): PartTaken {
  if (made === null) return { value: { text: '', truncated: true }, warnings: ['markdown_is_plain'] };
  const { part: text, length, isFound = true, isPlain = true, isHidden = false } = made;
  return {
    value: { text, ...(text.length < length && { truncated: true }) },
    warnings: [
      ...(isFound ? [] : ['main_content_not_found']),
      ...(isPlain ? ['markdown_is_plain'] : []),
      ...(isHidden ? ['hidden_text_removed'] : []),
    ],
  };
}
