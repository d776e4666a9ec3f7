import { surroundingsOf } from './clippers.ts';
import { cut, EVERYTHING, shownBy } from './element-box.ts';
import { all, boxesOf, boxOf, computed, documentOf, isRendered, nameOf, parentElementOf, read } from './nodes.ts';
import { type Box, inTopWindow } from './placement.ts';

/** Elements within others that are looked at. */
const MOST_INNER = 20_000;
/** Elements that are higher than a line, although they lie in one. */
const REPLACED = /^(?:img|svg|video|canvas|iframe|object|embed|input|select|textarea|meter|progress)$/;

/**
 * Yields the boxes in which a person sees elements, in coordinates of the top window: without what is invisible, and
 * without what the boxes and frames around them hide. An element in a line has a box for each line. Runs in the page.
 */
export function* shownBoxes(elements: ReadonlySet<Element>): Generator<Box> {
  const clipOf = createClips();
  let left = MOST_INNER;
  for (const element of elements) {
    const { display, visibility, position } = computed(element);
    const parent = parentElementOf(element);
    const isInLine = (display === 'inline' || display === 'contents') && position === 'static';
    if (isInLine && parent !== null && elements.has(parent) && computed(parent).display === 'inline') continue;
    const isContents = display === 'contents';
    if (visibility !== 'visible' || (!isContents && !isRendered(element, { opacityProperty: true }))) continue;
    const clip = clipOf(element);
    const own = boxOf(element);
    const isHollow = isContents || own.width === 0 || own.height === 0;
    const inner = isHollow || display === 'inline' ? all(element, '*').slice(0, left) : [];
    left -= inner.length;
    const boxes = [
      ...(display === 'inline' ? boxesOf(element) : [own]),
      ...inner.filter(isHigherThanLine).flatMap(boxesOf),
    ];
    if (isHollow) boxes.push(...linesOf(element));
    for (const box of boxes) yield cut(inTopWindow(element, box), clip);
  }
}

function isHigherThanLine(element: Element): boolean {
  return REPLACED.test(nameOf(element)) || computed(element).display !== 'inline';
}

/** Returns the boxes of the lines in an element that has no box itself. */
function linesOf(element: Element): Iterable<DOMRect> {
  const range = read(Document.prototype, documentOf(element), 'createRange').call(documentOf(element));
  range.selectNodeContents(element);
  return range.getClientRects();
}

/**
 * Returns a function that returns the part of the top window in which the surroundings of an element show it. What
 * several elements share is measured once: deep pages have thousands of ignored elements.
 */
function createClips(): (element: Element) => Box {
  const known = new Map<Element, Map<string, Box>>();
  return (element) => {
    const passed = [];
    let clip = EVERYTHING;
    for (const each of surroundingsOf(element)) {
      const found = known.get(each.around)?.get(each.position);
      if (found !== undefined) {
        clip = found;
        break;
      }
      passed.push(each);
    }
    for (const { around, position, cuts } of passed.toReversed()) {
      if (cuts) clip = cut(clip, inTopWindow(around, shownBy(around)));
      const ofAround = known.get(around) ?? new Map<string, Box>();
      known.set(around, ofAround.set(position, clip));
    }
    return clip;
  };
}
