import type { ReadPart, SourcePart } from '../../../steps/in-page/source-part.ts';
import type { PartTaken } from './part-taken.ts';

export interface PartsTaken extends SourcePart {
  readonly warnings: readonly string[];
}

/**
 * Reads all parts in one turn of the page's event loop. Returns the members of a JSON object, or the first piece of that text. A part
 * that the page makes unreadable is empty. Runs in the page.
 */
export function takeParts(
  takers: Readonly<Record<string, () => PartTaken>>,
  partLength: number,
  sourcePart: ReadPart,
): PartsTaken {
  const warnings: string[] = [];
  const members = Object.entries(takers).map(([name, take]) => {
    try {
      const taken = take();
      warnings.push(...(taken.warnings ?? []));
      return `${JSON.stringify(name)}:${JSON.stringify(taken.value)}`;
    } catch {
      return `${JSON.stringify(name)}:{"truncated":true}`; // nested too deeply for the call stack
    }
  });
  const text = members.join(',');
  Object.assign(globalThis, { captureSource: text, captureElement: undefined });
  return { length: text.length, part: sourcePart(0, partLength) ?? '', warnings };
}
