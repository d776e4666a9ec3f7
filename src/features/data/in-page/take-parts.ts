import { keepSource, type SourceBounds, type SourcePart } from '../../../core/steps/in-page/source-part.ts';

/** Result of reading a part in the page. */
export interface PartTaken {
  /** The part as it appears in the answer, with `truncated: true` if it was cut. */
  readonly value: { readonly [key: string]: unknown };
  /** Warning codes. */
  readonly warnings?: readonly string[];
}

export interface PartsTaken extends SourcePart {
  readonly warnings: readonly string[];
}

/**
 * Reads all parts in one turn of the page's event loop. Returns the JSON texts of the parts, one per line, or the first
 * piece of that text. JSON has no line breaks. A part that the page makes unreadable is empty. Runs in the page.
 */
export function takeParts(takers: readonly (() => PartTaken)[], bounds: SourceBounds): PartsTaken {
  const warnings: string[] = [];
  const texts = takers.map((take) => {
    try {
      const taken = take();
      warnings.push(...(taken.warnings ?? []));
      return JSON.stringify(taken.value);
    } catch {
      return '{"truncated":true}'; // nested too deeply for the call stack
    }
  });
  Object.assign(globalThis, { captureElement: undefined });
  return { ...keepSource(texts.join('\n'), bounds), warnings };
}

/** Converts the result of `pageMarkdown` or `keptText` to a part. Runs in the page. */
export function toMarkdownPart(
  made:
    | (SourcePart & {
        readonly isFound?: boolean;
        readonly isReduced?: boolean;
        readonly isPlain?: boolean;
        readonly isHidden?: boolean;
      })
    | null,
): PartTaken {
  if (made === null) return { value: { text: '', truncated: true }, warnings: ['markdown_is_plain'] };
  const { part: text, length, isFound = true, isReduced = false, isPlain = true, isHidden = false } = made;
  return {
    value: { text, ...(text.length < length && { truncated: true }) },
    warnings: [
      ...(isFound ? [] : ['main_content_not_found']),
      ...(isReduced ? ['main_content_reduced'] : []),
      ...(isPlain ? ['markdown_is_plain'] : []),
      ...(isHidden ? ['hidden_text_removed'] : []),
    ],
  };
}
