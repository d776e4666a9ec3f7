import { computed, isConnected, isElement, parentElementOf, read } from '../../../in-page/nodes.ts';
import {
  boxInWindow,
  FAINTEST,
  isFainter,
  isMovedAway,
  isShownAs,
  type Look,
  lookOf,
  shareInWindow,
  textOf,
} from './part-look.ts';

/** Limits for pages with many elements beside each other. */
const MOST_SIBLINGS = 12;
const MOST_INSIDE = 200;
/** Share of a part that a successor covers. */
const MOSTLY = 0.5;
/** Opacity of an element that is not fading. */
const OPAQUE = 0.98;

/** A part as it was in the window. */
export interface Seen {
  readonly look: Look;
  readonly content: readonly ChildNode[];
  /** True for content that the window holds in place. */
  readonly holdsWindow: boolean;
  readonly attributes: ReadonlyMap<string, string>;
  /** Undefined if the part contains elements. */
  readonly text: string | undefined;
  /** Place on the page. */
  readonly place: DOMRect;
  /** Where the parent was in the window: it is elsewhere after the next scroll. */
  readonly topAround: number;
  /** Siblings that lay over it, or under it, then. One that was fading in may be the next slide. */
  readonly beside: readonly Element[];
  /** Siblings that did not look like the part then. One that does now has taken its turn: a tab, a word, a slide. */
  readonly waiting: readonly Element[];
}

/** Returns how a part shows now, with its box in the window. */
export function see(part: Element, look: Look, box: DOMRect): Seen {
  const place = new DOMRect(box.x + scrollX, box.y + scrollY, box.width, box.height);
  return {
    look,
    content: [...read(Node.prototype, part, 'childNodes')],
    holdsWindow: childrenOf(part, MOST_SIBLINGS).some((child) => computed(child).position === 'fixed'),
    attributes: new Map([...read(Element.prototype, part, 'attributes')].map(({ name, value }) => [name, value])),
    text: textOf(part),
    place,
    topAround: topAround(part),
    beside: siblingsOf(part, MOST_SIBLINGS).filter((sibling) => overlaps(sibling, place, OPAQUE)),
    waiting: siblingsOf(part, MOST_SIBLINGS).filter((sibling) => !isShownAs(sibling, look)),
  };
}

/** True if the window shows the place at which the part was seen. */
export function isInWindowNow({ place }: Seen): boolean {
  return place.bottom > scrollY && place.top < scrollY + innerHeight;
}

/** What elements were before they changed: values by the names of attributes, and the text. */
type Before = ReadonlyMap<string, string | null> | undefined;
/** Names of the text and of the children, which are no names of attributes. */
export const [TEXT, CONTENT] = ['#text', '#content'];

/** True for a part outside of the window that the page has moved away, or whose text it has taken back. */
export function isChangedOutside(part: Element, was: Seen, before: Before): boolean {
  if (shareInWindow(boxInWindow(part)) > 0) return false;
  return isMovedAway(lookOf(part), was.look) || isTextTakenBack(part, was, before);
}

/** True for a number or a word that begins again when it leaves the window. A text that has gone on stays. */
export function isTextTakenBack(part: Element, { text }: Seen, before: Before): boolean {
  const now = textOf(part);
  if (text === undefined || now === undefined || now === text) return false;
  return now === before?.get(TEXT) || text.startsWith(now);
}

/** True if the page hides the part, which it did not when it was seen. */
export function isHiddenNow(part: Element, was: Seen): boolean {
  const now = lookOf(part);
  if (isFainter(part, now, was.look)) return true;
  const { width, height, x, y } = boxInWindow(part);
  if (was.place.width * was.place.height === 0) return false;
  const isBeside =
    !isAcross({ x, width }) && !childrenOf(part, MOST_SIBLINGS).some((child) => isAcross(boxInWindow(child)));
  if (width * height === 0 || (isBeside && was.place.x < innerWidth && was.place.right > 0)) return true;
  const isAway = y + scrollY >= was.place.bottom || y + scrollY + height <= was.place.y;
  return isAway && now.transform !== was.look.transform; // a layer that follows the scroll, and has left its section
}

/** True for a slide, a word or a mark that has moved on: a sibling shows at its place, or what it showed, now. */
export function hasSuccessor(part: Element, { place, look, waiting, beside }: Seen): boolean {
  const isHere = shareInWindow(boxInWindow(part)) > 0;
  const hasTurned = (sibling: Element): boolean =>
    isConnected(sibling) && shareInWindow(boxInWindow(sibling)) > 0 === isHere && isShownAs(sibling, look);
  if (waiting.some(hasTurned)) return true;
  return siblingsOf(part, MOST_INSIDE).some(
    (sibling) => !beside.includes(sibling) && overlaps(sibling, place, FAINTEST),
  );
}

/** True for an element that covers most of a place on the page, and has at least this opacity. */
function overlaps(element: Element, place: DOMRect, leastOpacity: number): boolean {
  const { x, y, width, height } = boxInWindow(element);
  const { opacity, visibility } = computed(element);
  if (Number(opacity) < leastOpacity || visibility !== 'visible') return false;
  const across = Math.min(x + scrollX + width, place.right) - Math.max(x + scrollX, place.x);
  const down = Math.min(y + scrollY + height, place.bottom) - Math.max(y + scrollY, place.y);
  return across > 0 && down > 0 && across * down > place.width * place.height * MOSTLY;
}

/** Returns where the parent is in the window, in whole CSS pixels. */
export function topAround(part: Element): number {
  return Math.round(boxInWindow(parentElementOf(part) ?? part).top);
}

/** True for a box that lies, at least in part, in the width of the window. */
function isAcross({ x, width }: Pick<DOMRect, 'x' | 'width'>): boolean {
  return x + scrollX < innerWidth && x + scrollX + width > 0;
}

/** Returns the nearest siblings. */
function siblingsOf(part: Element, most: number): readonly Element[] {
  const siblings: Element[] = [];
  let before = read(Element.prototype, part, 'previousElementSibling');
  let after = read(Element.prototype, part, 'nextElementSibling');
  while (siblings.length < most && (before !== null || after !== null)) {
    if (before !== null) siblings.push(before);
    if (after !== null) siblings.push(after);
    before = before && read(Element.prototype, before, 'previousElementSibling');
    after = after && read(Element.prototype, after, 'nextElementSibling');
  }
  return siblings;
}

function childrenOf(parent: Element, most: number): readonly Element[] {
  const children = read(Element.prototype, parent, 'children');
  return Array.from({ length: Math.min(children.length, most) }, (_each, index) => children[index]).filter(isElement);
}
