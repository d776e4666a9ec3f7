import { all, boxOf, computed, isConnected, isElement, parentElementOf, read } from '../../in-page/nodes.ts';
import { styleForPicture } from '../../in-page/for-picture.ts';
import { rootsOf } from '../../in-page/roots-of.ts';
import {
  FAINTEST,
  isColourless,
  isTurnedAway,
  LEAST_LOSS,
  type Look,
  lookOf,
  isShownAs,
  shareInWindow,
} from './area/part-look.ts';
import { isHeldByWindow } from './area/virtual.ts';
import { animationsIn } from './end-animations.ts';
import { targetOf } from './stop-endless.ts';
import { waitForObservers } from './wait-for-observers.ts';

// Parts that a page shows while they are in the window, and hides again when they leave it.

/** Limits for pages that change much while they are scrolled. */
const MOST_ROOTS = 100;
const MOST_CHANGED = 1_000;
const MOST_INSIDE = 200;
const MOST_SIBLINGS = 12;
const MOST_OUTER = 50;
const MOST_SEEN = 5_000;
const MOST_ANIMATIONS = 1_000;
/** Opacity from which a part is not fading in any more. */
const OPAQUE = 0.98;
/** Frames in which a library writes its own styles after the end of an animation. */
const FRAMES_AFTER_END = 2;
/** Share of a part or of the window. A part of which the window shows less has left. */
const MOSTLY = 0.5;

interface Seen {
  /** Share of the part in the window, times its opacity. */
  readonly score: number;
  readonly look: Look;
  readonly content: readonly ChildNode[];
  /** Place on the page. */
  readonly place: DOMRect;
  /** Siblings that did not look like the part then. One that does now has taken its turn: a tab, a word, a slide. */
  readonly waiting: readonly Element[];
}

interface Watch {
  readonly observer: MutationObserver;
  readonly changed: Set<Element>;
  readonly seen: Map<Element, Seen>;
}

/** Properties of the isolated world's window, invisible to the page. */
const NAMES = { observer: 'captureObserver', changed: 'captureChanged', seen: 'captureSeenParts' };
const HELD = 'captureHeldParts';

function watch(): Watch | undefined {
  const [observer, changed, seen]: unknown[] = Object.values(NAMES).map((name) => Reflect.get(globalThis, name));
  const isThere = observer instanceof MutationObserver && changed instanceof Set && seen instanceof Map;
  return isThere ? { observer, changed, seen } : undefined;
}

/** Begins to watch what changes while the page is scrolled. */
export function watchParts(): void {
  if (watch() !== undefined) return;
  const observer = new MutationObserver(noteChanges);
  Object.assign(globalThis, { [NAMES.observer]: observer, [NAMES.changed]: new Set(), [NAMES.seen]: new Map() });
  for (const root of rootsOf().take(MOST_ROOTS))
    observer.observe(root, { subtree: true, childList: true, attributes: true });
}

function noteChanges(records: readonly MutationRecord[]): void {
  const { changed, seen } = watch() ?? {};
  if (changed === undefined || seen === undefined) return;
  for (const { target } of records.slice(0, MOST_CHANGED)) {
    if (!isElement(target)) continue;
    if (changed.size < MOST_CHANGED) changed.add(target);
    // What is hidden while a visitor looks at it has not left.
    if (seen.has(target) && isHidden(target, seen.get(target)) && shareInWindow(boxOf(target)) > MOSTLY)
      for (const inner of [target, ...all(target, '*').slice(0, MOST_INSIDE)]) seen.delete(inner);
  }
}

/**
 * Notes how the changed parts in the window look. Their transitions are ended: page time runs ahead of them. Returns
 * true while a script fades one in.
 */
export function noteParts(): boolean {
  const { observer, changed, seen } = watch() ?? {};
  if (observer === undefined || changed === undefined || seen === undefined) return false;
  noteChanges(observer.takeRecords());
  for (const [target] of finiteAnimations()) if (changed.size < MOST_CHANGED) changed.add(target);
  if (changed.size === 0) return false;
  const parts = new Set([...changed].flatMap((element) => [element, ...all(element, '*').slice(0, MOST_INSIDE)]));
  const shown = [...parts].slice(0, MOST_SEEN).filter((part) => isConnected(part) && shareInWindow(boxOf(part)) > 0);
  endTransitions(new Set(shown));
  let isFadingIn = false;
  for (const part of shown) {
    const look = lookOf(part);
    const place = boxOf(part);
    const score = shareInWindow(place) * Number(look.opacity);
    if (look.visibility !== 'visible' || score <= (seen.get(part)?.score ?? 0)) continue;
    isFadingIn ||= Number(look.opacity) < OPAQUE;
    if (Number(look.opacity) < FAINTEST) continue;
    const content = [...read(Node.prototype, part, 'childNodes')];
    seen.set(part, {
      score,
      look,
      content,
      place: new DOMRect(place.x + scrollX, place.y + scrollY, place.width, place.height),
      waiting: siblingsOf(part, MOST_SIBLINGS).filter((sibling) => !isShownAs(sibling, look)),
    });
  }
  return isFadingIn;
}

/** The state of the parts that were seen in the window. */
export interface PartsSeen {
  readonly any: boolean;
  /** True if the page has hidden one since it left the window. */
  readonly hidden: boolean;
}

export function partsSeen(): PartsSeen {
  const { observer, seen } = watch() ?? {};
  if (observer === undefined || seen === undefined) return { any: false, hidden: false };
  noteChanges(observer.takeRecords());
  const hidden = [...seen].some(([part, was]) => isConnected(part) && isHidden(part, was));
  return { any: seen.size > 0, hidden };
}

/**
 * Restores parts that the page has hidden or emptied since they left the window. Leaves out what the window holds in
 * place, and slides that others have replaced. Runs in the page.
 * @param holdsAll true to hold what shows now, too: the page is scrolled or laid out again for the picture
 */
export async function keepParts(holdsAll = false): Promise<void> {
  const { observer, seen } = watch() ?? {};
  if (observer === undefined || seen === undefined) return;
  if (holdsAll) noteParts(); // what is in the window again
  noteChanges(observer.takeRecords());
  observer.disconnect();
  Reflect.deleteProperty(globalThis, NAMES.observer);
  for (const [part, { content }] of seen) {
    const isEmpty = isConnected(part) && read(Node.prototype, part, 'textContent')?.trim() === '';
    if (
      isEmpty &&
      read(Element.prototype, part, 'childElementCount') === 0 &&
      content.length > 0 &&
      !isHeldByWindow(part)
    )
      part.replaceChildren(...content.filter((node) => !isConnected(node)));
  }
  if (seen.size === 0) return;
  endTransitions(new Set(seen.keys())); // a part that is about to vanish
  for (let frame = 0; frame < FRAMES_AFTER_END; frame++) await waitForObservers();
  const hidden = [...seen].filter(([part, was]) => isConnected(part) && isHidden(part, was) && !isHeldByWindow(part));
  const replaced = new Set(hidden.flatMap(([part, was]) => (hasSuccessor(part, was) ? [part] : [])));
  const shown = holdsAll ? [...seen.keys()].filter((part) => isConnected(part) && !isHeldByWindow(part)) : [];
  const held = new Map(shown.map((part) => [part, lookOf(part)]));
  for (const [part, { look }] of hidden) if (!isInside(part, replaced)) held.set(part, look);
  Reflect.set(globalThis, HELD, held);
  holdParts();
}

/** Styles the parts as they are held. Once more after scripts have run: they may have replaced the styles. */
export function holdParts(): void {
  const held: unknown = Reflect.get(globalThis, HELD);
  if (!(held instanceof Map)) return;
  const styled: ReadonlyMap<Element, Look> = held;
  for (const [part, look] of styled) {
    const { clipPath, backgroundColor, ...styles } = look;
    styleForPicture(part, { ...styles, 'clip-path': clipPath, transition: 'none' });
    if (!isColourless(backgroundColor)) styleForPicture(part, { 'background-color': backgroundColor });
  }
}

function isHidden(part: Element, was: Seen | undefined): boolean {
  if (was === undefined) return false;
  const now = lookOf(part);
  if (now.visibility !== 'visible' || Number(now.opacity) < Number(was.look.opacity) - LEAST_LOSS) return true;
  if (isColourless(now.backgroundColor) && !isColourless(was.look.backgroundColor)) return true;
  if (now.clipPath !== was.look.clipPath || (now.filter !== 'none' && was.look.filter === 'none')) return true;
  if (isTurnedAway(part, now) && !isTurnedAway(part, was.look)) return true;
  const { width, height, x, y } = boxOf(part);
  if (was.place.width * was.place.height === 0) return false;
  const isBeside = !isAcross({ x, width }) && !childrenOf(part, MOST_SIBLINGS).some((child) => isAcross(boxOf(child)));
  if (width * height === 0 || (isBeside && was.place.x < innerWidth && was.place.right > 0)) return true;
  const isAway = y + scrollY >= was.place.bottom || y + scrollY + height <= was.place.y;
  return isAway && now.transform !== was.look.transform; // a layer that follows the scroll, and has left its section
}

function endTransitions(parts: ReadonlySet<Element>): void {
  for (const [target, animation] of finiteAnimations())
    if (parts.has(target) && animation.playState === 'running') animation.finish();
}

/** Returns the animations that have an end and do not follow the scroll, with their elements. */
function finiteAnimations(): (readonly [Element, Animation])[] {
  const animations = rootsOf().take(MOST_ROOTS).flatMap(animationsIn).take(MOST_ANIMATIONS);
  return [...animations].flatMap((animation) => {
    const { effect, timeline } = animation;
    const target = targetOf(animation);
    const isByScroll = timeline === null || 'source' in timeline;
    const ends = effect !== null && effect.getComputedTiming().endTime !== Infinity;
    return target !== null && ends && !isByScroll ? [[target, animation] as const] : [];
  });
}

/** True for a slide, a word or a mark that has moved on: a sibling shows at its place, or what it showed, now. */
function hasSuccessor(part: Element, { place, look, waiting }: Seen): boolean {
  const isHere = shareInWindow(boxOf(part)) > 0;
  const hasTurned = (sibling: Element): boolean =>
    isConnected(sibling) && shareInWindow(boxOf(sibling)) > 0 === isHere && isShownAs(sibling, look);
  if (waiting.some(hasTurned)) return true;
  return siblingsOf(part, MOST_INSIDE).some((sibling) => {
    const { x, y, width, height } = boxOf(sibling);
    const { opacity, visibility } = computed(sibling);
    if (Number(opacity) < FAINTEST || visibility !== 'visible') return false;
    const across = Math.min(x + scrollX + width, place.right) - Math.max(x + scrollX, place.x);
    const down = Math.min(y + scrollY + height, place.bottom) - Math.max(y + scrollY, place.y);
    return across > 0 && down > 0 && across * down > place.width * place.height * MOSTLY;
  });
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

/** True for one of the parts, and for what is inside of it. */
function isInside(part: Element, parts: ReadonlySet<Element>): boolean {
  let outer: Element | null = part;
  for (let level = 0; level < MOST_OUTER && outer !== null; level++) {
    if (parts.has(outer)) return true;
    outer = parentElementOf(outer);
  }
  return false;
}
