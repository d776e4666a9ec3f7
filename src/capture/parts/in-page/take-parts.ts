import type { ReadPart, SourcePart } from '../../../steps/in-page/source-part.ts';
import type { PartTaken } from './part-taken.ts';

export interface PartsTaken extends SourcePart {
  readonly warnings: readonly string[];
}

/**
 * Reads all parts in one turn of the page's event loop. Returns the JSON texts of the parts, one per line, or the first
 * piece of that text. JSON has no line breaks. A part that the page makes unreadable is empty. Runs in the page.
 */
export function takeParts(takers: readonly (() => PartTaken)[], partLength: number, sourcePart: ReadPart): PartsTaken {
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
  const text = texts.join('\n');
  Object.assign(globalThis, { captureSource: text, captureElement: undefined });
  return { length: text.length, part: sourcePart(0, partLength) ?? '', warnings };
}
