import { all, attribute, boxOf, nameOf, parentElementOf, read, typeOf } from '../../../steps/in-page/nodes.ts';
import type { PartTaken } from './take-parts.ts';

export interface ElementBounds {
  readonly maxEntries: number;
  /** Longer texts are left out: they belong to smaller elements. */
  readonly maxTextLength: number;
}

/** Elements of the page in document order. The box is on the whole page, in CSS pixels. */
type Entry = readonly [parent: number, step: string, x: number, y: number, width: number, height: number, text: string];

/**
 * Returns the elements of the page with their boxes and short texts, and the boxes of all matches of some selectors:
 * null for a selector that is not valid.
 * The selector of an element is that of its parent, `>` and its step; a step that begins with # is the whole selector.
 * Runs in the page.
 */
export function pageElements(masked: readonly string[], { maxEntries, maxTextLength }: ElementBounds): PartTaken {
  const [left, top] = [window.scrollX, window.scrollY];
  const placeOf = (element: Element): readonly [number, number, number, number] => {
    const { x, y, width, height } = boxOf(element);
    return [Math.round(x + left), Math.round(y + top), Math.round(width), Math.round(height)];
  };
  const elements = all(document, 'body, body *').slice(0, maxEntries);
  const places = new Map<Element, number>(elements.map((element, index) => [element, index]));
  const ids = Map.groupBy(elements, (element) => attribute(element, 'id') ?? '');
  const counts = new Map<Element | null, Map<string, number>>();
  const stepOf = (element: Element): string => {
    const id = attribute(element, 'id') ?? '';
    if (/^[A-Za-z][\w-]*$/.test(id) && ids.get(id)?.length === 1) return `#${id}`;
    const name = nameOf(element);
    const parent = parentElementOf(element);
    const ofParent = counts.get(parent) ?? new Map<string, number>();
    counts.set(parent, ofParent);
    const number = (ofParent.get(name) ?? 0) + 1;
    ofParent.set(name, number);
    return number === 1 && name === 'body' ? name : `${name}:nth-of-type(${number})`;
  };
  // The texts of nested elements contain each other, so their lengths are added from the innermost outwards.
  const lengths = new Map<Element, number>();
  for (const element of elements.toReversed()) {
    const nodes = [...read(Node.prototype, element, 'childNodes')].filter((node) => typeOf(node) === Node.TEXT_NODE);
    const own = nodes.reduce((sum, node) => sum + (read(Node.prototype, node, 'nodeValue')?.length ?? 0), 0);
    const length = own + (lengths.get(element) ?? 0);
    lengths.set(element, length);
    const parent = parentElementOf(element);
    if (parent !== null) lengths.set(parent, (lengths.get(parent) ?? 0) + length);
  }
  const entries = elements.map((element): Entry => {
    const isShort = (lengths.get(element) ?? 0) <= maxTextLength * 4;
    const text = isShort ? (read(Node.prototype, element, 'textContent') ?? '') : '';
    const short = text.replaceAll(/\s+/g, ' ').trim();
    const parent = parentElementOf(element);
    return [
      parent === null ? -1 : (places.get(parent) ?? -1),
      stepOf(element),
      ...placeOf(element),
      short.length > maxTextLength ? '' : short.toWellFormed(),
    ];
  });
  const boxes = masked.map((selector) => {
    try {
      return all(document, selector).slice(0, maxEntries).map(placeOf);
    } catch {
      return null; // no valid selector
    }
  });
  return { value: { entries, masked: boxes, scrolled: [Math.round(left), Math.round(top)] } };
}
