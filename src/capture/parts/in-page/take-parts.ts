import type { ReadPart, SourcePart } from '../../../steps/in-page/source-part.ts';
import type { PartTaken } from './part-taken.ts';

export interface PartsTaken extends SourcePart {
  readonly warnings: readonly string[];
}

/**
 * Takes all parts in one go, between two turns of the page, and gives them as the members of one JSON object, or the beginning of those.
 * What a page makes impossible to take is an empty part. Runs in the page.
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
      return `${JSON.stringify(name)}:{"truncated":true}`; // as deep as no stack is
    }
  });
  const text = members.join(',');
  Object.assign(globalThis, { captureSource: text, captureElement: undefined });
  return { length: text.length, part: sourcePart(0, partLength) ?? '', warnings };
}
