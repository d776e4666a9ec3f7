import { all, isConnected, isElement, parentElementOf, read } from '../../in-page/nodes.ts';
import { rootsOf } from '../../in-page/roots-of.ts';
import { type Held, holdAs } from './area/hold-parts.ts';
import { boxInWindow, FAINTEST, lookOf, shareInWindow, textOf } from './area/part-look.ts';
import { isChangedOutside, hasSuccessor, isHiddenNow, see, type Seen, topAround } from './area/seen-part.ts';
import { isHeldByWindow } from './area/virtual.ts';
import { animationsIn } from './end-animations.ts';
import { targetOf } from './stop-endless.ts';
import { waitForObservers } from './wait-for-observers.ts';

// Parts that a page shows while they are in the window, and hides again when they leave it.

/** Limits for pages that change much while they are scrolled. */
const MOST_ROOTS = 100;
const MOST_CHANGED = 1_000;
const MOST_INSIDE = 200;
const MOST_OUTER = 50;
const MOST_SEEN = 5_000;
const MOST_ANIMATIONS = 1_000;
/** Opacity from which a part is not fading in any more. */
const OPAQUE = 0.98;
/** Frames in which a library writes its own styles after the end of an animation. */
const FRAMES_AFTER_END = 2;
/** Share of a part or of the window. A part of which the window shows less has left. */
const MOSTLY = 0.5;

interface SeenBest extends Seen {
  /** Share of the part in the window, times its opacity. */
  readonly score: number;
}

interface Watch {
  readonly observer: MutationObserver;
  readonly changed: Set<Element>;
  /** Elements whose texts have changed since the last note. */
  readonly written: Set<Element>;
  readonly seen: Map<Element, SeenBest>;
}

/** Properties of the isolated world's window, invisible to the page. */
const NAMES = {
  observer: 'captureObserver',
  changed: 'captureChanged',
  written: 'captureWritten',
  seen: 'captureSeenParts',
};

function watch(): Watch | undefined {
  const [observer, changed, written, seen]: unknown[] = Object.values(NAMES).map((name) =>
    Reflect.get(globalThis, name),
  );
  const isThere = observer instanceof MutationObserver && changed instanceof Set && written instanceof Set;
  return isThere && seen instanceof Map ? { observer, changed, written, seen } : undefined;
}

/** Begins to watch what changes while the page is scrolled. */
export function watchParts(): void {
  if (watch() !== undefined) return;
  const observer = new MutationObserver(noteChanges);
  const none = { [NAMES.changed]: new Set(), [NAMES.written]: new Set(), [NAMES.seen]: new Map() };
  Object.assign(globalThis, { [NAMES.observer]: observer, ...none });
  for (const root of rootsOf().take(MOST_ROOTS))
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}

function noteChanges(records: readonly MutationRecord[]): void {
  const { changed, written, seen } = watch() ?? {};
  if (changed === undefined || written === undefined || seen === undefined) return;
  for (const { target, type } of records.slice(0, MOST_CHANGED)) {
    const part = isElement(target) ? target : parentElementOf(target);
    if (part === null) continue;
    if (changed.size < MOST_CHANGED) changed.add(part);
    if (type !== 'attributes' && written.size < MOST_CHANGED) written.add(part);
    // What is hidden while a visitor looks at it has not left.
    const was = seen.get(part);
    const isInPlace = was !== undefined && topAround(part) === was.topAround;
    if (isInPlace && isHiddenNow(part, was) && shareInWindow(boxInWindow(part)) > MOSTLY)
      for (const inner of [part, ...all(part, '*').slice(0, MOST_INSIDE)]) seen.delete(inner);
  }
}

/**
 * Notes how the changed parts in the window look. Their transitions are ended: page time runs ahead of them. Returns
 * true while a script fades one in, or writes its text.
 */
export function noteParts(): boolean {
  const { observer, changed, written, seen } = watch() ?? {};
  if (observer === undefined || changed === undefined || written === undefined || seen === undefined) return false;
  noteChanges(observer.takeRecords());
  for (const [target] of finiteAnimations()) if (changed.size < MOST_CHANGED) changed.add(target);
  if (changed.size === 0) return false;
  const parts = new Set([...changed].flatMap((element) => [element, ...all(element, '*').slice(0, MOST_INSIDE)]));
  const shown = [...parts]
    .slice(0, MOST_SEEN)
    .filter((part) => isConnected(part) && shareInWindow(boxInWindow(part)) > 0);
  endTransitions(new Set(shown));
  const isWriting = shown.some((part) => written.has(part) && textOf(part) !== undefined);
  written.clear();
  let isFadingIn = false;
  for (const part of shown) {
    const look = lookOf(part);
    const box = boxInWindow(part);
    const score = shareInWindow(box) * Number(look.opacity);
    const known = seen.get(part)?.score ?? 0;
    if (look.visibility !== 'visible' || score < known || score === 0) continue;
    isFadingIn ||= score > known && Number(look.opacity) < OPAQUE;
    if (Number(look.opacity) < FAINTEST) continue;
    seen.set(part, { score, ...see(part, look, box) });
  }
  return isFadingIn || isWriting;
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
  const hidden = [...seen].some(([part, was]) => isConnected(part) && isHiddenNow(part, was));
  return { any: seen.size > 0, hidden };
}

/**
 * Restores parts that the page has hidden or emptied since they left the window. Leaves out what the window holds in
 * place, and slides that others have replaced. Returns true if any part is held. Runs in the page.
 * @param holdsAll true to hold what shows now, too: the page is scrolled or laid out again for the picture
 */
export async function keepParts(holdsAll = false): Promise<boolean> {
  const { observer, seen } = watch() ?? {};
  if (observer === undefined || seen === undefined) return false;
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
  if (seen.size === 0) return false;
  endTransitions(new Set(seen.keys())); // a part that is about to vanish
  for (let frame = 0; frame < FRAMES_AFTER_END; frame++) await waitForObservers();
  const parts = [...seen].filter(([part]) => isConnected(part) && !isHeldByWindow(part));
  const hidden = parts.filter(([part, was]) => isHiddenNow(part, was) || isChangedOutside(part, was));
  const replaced = new Set(hidden.flatMap(([part, was]) => (hasSuccessor(part, was) ? [part] : [])));
  const held = new Map<Element, Held>(
    holdsAll ? parts.map(([part]) => [part, { look: lookOf(part), text: textOf(part) }]) : [],
  );
  for (const [part, { look, text }] of hidden) if (!isInside(part, replaced)) held.set(part, { look, text });
  holdAs(held);
  return held.size > 0;
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

/** True for one of the parts, and for what is inside of it. */
function isInside(part: Element, parts: ReadonlySet<Element>): boolean {
  let outer: Element | null = part;
  for (let level = 0; level < MOST_OUTER && outer !== null; level++) {
    if (parts.has(outer)) return true;
    outer = parentElementOf(outer);
  }
  return false;
}
