import { elementBox } from './element-box.ts';
import { isElement } from './nodes.ts';
import { everywhere } from './roots-of.ts';

/**
 * Keeps the visible ones of the first matches of a selector for the scripts that read them, without those that are
 * inside of others. Returns false if none is visible. Runs in the page.
 */
export function chooseElements(selector: string, most: number): boolean {
  const chosen: Element[] = [];
  for (const element of everywhere(selector).take(most)) {
    const last = chosen.at(-1); // matches come in the order of the document
    if (last !== undefined && Node.prototype.contains.call(last, element)) continue;
    if (elementBox(element, false) !== undefined) chosen.push(element);
  }
  Object.assign(globalThis, { captureElements: chosen });
  return chosen.length > 0;
}

/** Returns the elements that `chooseElements` has kept. Undefined if they were removed with their document. */
export function chosenElements(): readonly Element[] | undefined {
  const chosen: unknown = Reflect.get(globalThis, 'captureElements');
  return Array.isArray(chosen) && chosen.length > 0 ? chosen.filter(isElement) : undefined;
}
