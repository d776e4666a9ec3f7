import { setImmediate } from 'node:timers/promises';
import type { PdfFile } from '../../pdf-file.ts';

/** An element of the structure that readers of a document hear. */
export interface StructureElement {
  readonly number: number;
  readonly type: string;
  /** What is inside, in order: references to elements, numbers of drawings and dictionaries. */
  readonly kids: readonly string[];
  /** The dictionary as Chrome writes it. */
  readonly text: string;
}

/** Elements that are worked on before other requests have their turn. */
export const AT_ONCE = 2_000;
const KIDS = /\n\/K (\[[^\]]*\]|<<[^>]*>>|\d+ 0 R|\d+)/;

/** Returns the elements of the document in reading order. Empty for a document without structure. */
export async function readStructure(file: PdfFile): Promise<StructureElement[]> {
  const root = structureRootOf(file);
  if (root === undefined) return [];
  const elements: StructureElement[] = [];
  const waiting = referencesIn(kidsOf(file.objectText(root))).toReversed();
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    const text = file.objectText(number);
    const [, type = ''] = /\n\/S \/(\w+)/.exec(text) ?? [];
    const kids = kidsOf(text);
    elements.push({ number, type, kids, text });
    for (const kid of referencesIn(kids).toReversed()) waiting.push(kid);
    if (elements.length % AT_ONCE === 0) await setImmediate();
  }
  return elements;
}

/** Returns the object number of the root of the structure. Undefined for a document without. */
export function structureRootOf(file: PdfFile): number | undefined {
  const [, root] = /\/StructTreeRoot (\d+) 0 R/.exec(file.objectText(file.root)) ?? [];
  return root === undefined ? undefined : Number(root);
}

/** Returns the numbers of the elements among these kids. */
export function referencesIn(kids: readonly string[]): number[] {
  return kids.filter((kid) => kid.endsWith(' R')).map((kid) => Number.parseInt(kid, 10));
}

/** True if an annotation, such as the area of a link, is among these kids. */
export function hasAnnotation(kids: readonly string[]): boolean {
  return kids.some((kid) => kid.includes('/OBJR'));
}

/** Returns the dictionary with these kids. */
export function withKids(text: string, kids: readonly string[]): string {
  return text.replace(KIDS, () => `\n/K [${kids.join(' ')}]`);
}

function kidsOf(text: string): string[] {
  const [, kids = ''] = KIDS.exec(text) ?? [];
  return kids.match(/<<[^>]*>>|\d+ 0 R|\d+/g) ?? [];
}
