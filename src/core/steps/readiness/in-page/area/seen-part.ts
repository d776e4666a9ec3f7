import { computed, isConnected, parentElementOf, read } from '../../../in-page/nodes.ts';
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

/** A part as it was in the window. */
export interface Seen {
  readonly look: Look;
  readonly content: readonly ChildNode[];
  /** Undefined if the part contains elements. */
  readonly text: string | undefined;
  /** Place on the page. */
  readonly place: DOMRect;
  /** Where the parent was in the window: it is elsewhere after the next scroll. */
  readonly topAround: number;
  /** Siblings that did not look like the part then. One that does now has taken its turn: a tab, a word, a slide. */
  readonly waiting: readonly Element[];
}

/** Returns how a part shows now, with its box in the window. */
export function see(part: Element, look: Look, box: DOMRect): Seen {
  return {
    look,
    content: [...read(Node.prototype, part, 'childNodes')],
    text: textOf(part),
    place: new DOMRect(box.x + scrollX, box.y + scrollY, box.width, box.height),
    topAround: topAround(part),
    waiting: siblingsOf(part, MOST_SIBLINGS).filter((sibling) => !isShownAs(sibling, look)),
  };
}

/** True for a part outside of the window that the page has moved or written anew since it was seen. */
export function isChangedOutside(part: Element, { look, text }: Seen): boolean {
  if (shareInWindow(boxInWindow(part)) > 0) return false;
  return isMovedAway(lookOf(part), look) || (text !== undefined && textOf(part) !== text);
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
export function hasSuccessor(part: Element, { place, look, waiting }: Seen): boolean {
  const isHere = shareInWindow(boxInWindow(part)) > 0;
  const hasTurned = (sibling: Element): boolean =>
    isConnected(sibling) && shareInWindow(boxInWindow(sibling)) > 0 === isHere && isShownAs(sibling, look);
  if (waiting.some(hasTurned)) return true;
  return siblingsOf(part, MOST_INSIDE).some((sibling) => {
    const { x, y, width, height } = boxInWindow(sibling);
    const { opacity, visibility } = computed(sibling);
    if (Number(opacity) < FAINTEST || visibility !== 'visible') return false;
    const across = Math.min(x + scrollX + width, place.right) - Math.max(x + scrollX, place.x);
    const down = Math.min(y + scrollY + height, place.bottom) - Math.max(y + scrollY, place.y);
    return across > 0 && down > 0 && across * down > place.width * place.height * MOSTLY;
  });
}

/** Returns where the parent is in the window, in whole CSS pixels. */
export function topAround(part: Element): number {
  return Math.round(boxInWindow(parentElementOf(part) ?? part).top);
}

/** True for a box that lies, at least in part, in the width of the window. */
function isAcross({ x, width }: Pick<DOMRect, 'x' | 'width'>): boolean {
  return x + scrollX < innerWidth && x + scrollX + width > 0;
}

function siblingsOf(part: Element, most: number): readonly Element[] {
  const parent = parentElementOf(part);
  return parent === null ? [] : childrenOf(parent, most).filter((sibling) => sibling !== part);
}

function childrenOf(parent: Element, most: number): readonly Element[] {
  return [...(read(Element.prototype, parent, 'children') ?? [])].slice(0, most);
}
