import { clippersOf } from '../../../../core/steps/in-page/clippers.ts';
import { shownBy } from '../../../../core/steps/in-page/element-box.ts';
import { read } from '../../../../core/steps/in-page/nodes.ts';
import { type Box, inTopWindow } from '../../../../core/steps/in-page/placement.ts';
import { rectsOf } from './rects-of.ts';

/** A part of a text of an element. */
interface Word {
  readonly node: Node;
  readonly element: Element;
  readonly part: { readonly start: number; readonly stop: number };
}

/** Returns the widest line of a word, in its own window. Undefined if it is not rendered. */
export function lineOf({ node, part }: Omit<Word, 'element'>): DOMRect | undefined {
  return rectsOf(node, part.start, part.stop).toSorted((a, b) => b.width - a.width)[0];
}

/** Returns the part of a word in the window. Undefined if most of it is outside. `clips` keeps what is
 * known of elements. */
export function visibleBox(word: Word, clips: Map<Element, Box>): Box | undefined {
  const { node, element } = word;
  const line = lineOf(word);
  if (line === undefined) return undefined;
  const { x, y, width, height } = inTopWindow(node, line);
  const known = clips.get(element) ?? windowOf(element);
  clips.set(element, known);
  const [left, top] = [Math.max(x, known.x), Math.max(y, known.y)];
  const box = {
    x: left,
    y: top,
    width: Math.min(x + width, known.x + known.width) - left,
    height: Math.min(y + height, known.y + known.height) - top,
  };
  return box.width >= 0.4 * width && box.height >= 0.4 * height && box.width > 0 && box.height > 0 ? box : undefined;
}

/** Returns the part of the top window in which the content of an element shows. */
function windowOf(element: Element): Box {
  let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
  for (const clipper of clippersOf(element)) {
    const { x, y, width, height } = inTopWindow(clipper, shownBy(clipper));
    [left, top, right, bottom] = [
      Math.max(left, x),
      Math.max(top, y),
      Math.min(right, x + width),
      Math.min(bottom, y + height),
    ];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** True if no fixed header or footer lies over the place, as far as the page can be scrolled. */
export function isInMiddle({ y, height }: Box): boolean {
  const share = (y + height / 2) / innerHeight;
  const isAtTop = scrollY <= 1;
  const scroller = read(Document.prototype, document, 'scrollingElement');
  const whole = scroller === null ? 0 : read(Element.prototype, scroller, 'scrollHeight');
  const isAtBottom = scrollY + innerHeight >= whole - 1;
  return (isAtTop || share > 0.2) && (isAtBottom || share < 0.8);
}

/** True if two boxes have a point in common. */
export function meet(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
