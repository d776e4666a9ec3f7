import { widthBefore } from '../../../core/steps/in-page/element-box.ts';
import { all, attribute, boxOf, nameOf, parentElementOf, read, typeOf } from '../../../core/steps/in-page/nodes.ts';
import { inTopWindow } from '../../../core/steps/in-page/placement.ts';
import { rootsOf } from '../../../core/steps/in-page/roots-of.ts';
import { shownBoxes } from '../../../core/steps/in-page/shown-boxes.ts';
import type { PartTaken } from './take-parts.ts';

interface ElementBounds {
  /** Elements, and masked elements, of the page. */
  readonly maxEntries: number;
  /** Longer texts are left out: they belong to smaller elements. */
  readonly maxTextLength: number;
  /** Longer names and ids are left out. A page of 300 KB had selectors of gigabytes. */
  readonly maxNameLength: number;
}

/** Elements of the page in document order. The box is on the whole page, in CSS pixels. */
type Entry = readonly [parent: number, step: string, x: number, y: number, width: number, height: number, text: string];

/**
 * Returns the elements of the page with their boxes and short texts, the number of matches of each masked selector (-1:
 * it is not valid), and the boxes in which a person sees the matches, four numbers each.
 * The selector of an element is that of its parent, `>` and its step; a step that begins with # is the whole selector.
 * Runs in the page.
 * @param isAtTop whether the picture shows the page as it is when it is scrolled to the top
 */
export function pageElements(
  masked: readonly string[],
  isAtTop: boolean,
  { maxEntries, maxTextLength, maxNameLength }: ElementBounds,
): PartTaken {
  if (isAtTop) window.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  const [left, top] = [window.scrollX + widthBefore(), window.scrollY];
  const placeOf = (element: Element): readonly [number, number, number, number] => {
    const { x, y, width, height } = inTopWindow(element, boxOf(element));
    return [x + left, y + top, width, height];
  };
  const elements = all(document, 'body, body *').slice(0, maxEntries);
  const places = new Map<Element, number>(elements.map((element, index) => [element, index]));
  const ids = Map.groupBy(elements, (element) => attribute(element, 'id') ?? '');
  const counts = new Map<Element | null, Map<string, number>>();
  const stepOf = (element: Element): string => {
    const id = attribute(element, 'id') ?? '';
    const isShort = id.length <= maxNameLength;
    if (isShort && /^[A-Za-z][\w-]*$/.test(id) && ids.get(id)?.length === 1) return `#${id}`;
    const name = nameOf(element).length > maxNameLength ? '*' : nameOf(element);
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
  const roots = masked.length === 0 ? [] : [...rootsOf()];
  const found = new Set<Element>();
  const matches = masked.map((selector) => {
    let count = 0;
    try {
      for (const root of roots) {
        for (const element of all(root, selector)) {
          count++;
          if (found.size <= maxEntries) found.add(element);
        }
      }
      return count;
    } catch {
      return -1; // no valid selector
    }
  });
  const boxes = [...shownBoxes(found).take(maxEntries + 1)];
  const { pageLeft, pageTop, scale } = window.visualViewport ?? { pageLeft: 0, pageTop: 0, scale: 1 };
  return {
    value: {
      entries,
      matches,
      boxes: boxes
        .slice(0, maxEntries)
        .filter(({ width, height }) => width > 0 && height > 0)
        .flatMap(({ x, y, width, height }) => [x + left, y + top, width, height]),
      ...(Math.max(found.size, boxes.length) > maxEntries && { truncated: true }),
      window: [pageLeft + widthBefore(), pageTop, scale],
    },
  };
}
