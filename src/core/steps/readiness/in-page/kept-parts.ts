import { all, isConnected, isElement, parentElementOf } from '../../in-page/nodes.ts';
import { rootsOf } from '../../in-page/roots-of.ts';
import { type Held, holdAs } from './area/hold-parts.ts';
import { boxInWindow, FAINTEST, lookOf, shareInWindow, textOf } from './area/part-look.ts';
import { attributesTakenBack, markupOf, restoreAttributes, restoreContent } from './area/restore-part.ts';
import {
  CONTENT,
  hasSuccessor,
  isChangedOutside,
  isHiddenNow,
  isInWindowNow,
  isTextTakenBack,
  see,
  type Seen,
  TEXT,
  topAround,
} from './area/seen-part.ts';
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
const OPAQUE = 0.995;
/** Frames in which a library writes its own styles after the end of an animation. */
const FRAMES_AFTER_END = 2;
/** Page time after a scroll in which a page reacts to it. */
const BY_SCROLL_MS = 250;
/** Share of a part or of the window. A part of which the window shows less has left. */
const MOSTLY = 0.5;

interface SeenBest extends Seen {
  /** Share of the part in the window, times its opacity. */
  readonly score: number;
}

interface Watch {
  readonly observer: MutationObserver;
  /** The changed elements, with the attributes that they had before. */
  readonly changed: Map<Element, Map<string, string | null>>;
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

const SCROLLED_AT = 'captureScrolledAt';

function watch(): Watch | undefined {
  const [observer, changed, written, seen]: unknown[] = Object.values(NAMES).map((name) =>
    Reflect.get(globalThis, name),
  );
  const isThere = observer instanceof MutationObserver && changed instanceof Map && written instanceof Set;
  return isThere && seen instanceof Map ? { observer, changed, written, seen } : undefined;
}

/** Begins to watch what changes while the page is scrolled. */
export function watchParts(): void {
  if (watch() !== undefined) return;
  const observer = new MutationObserver(noteChanges);
  const none = { [NAMES.changed]: new Map(), [NAMES.written]: new Set(), [NAMES.seen]: new Map() };
  Object.assign(globalThis, { [NAMES.observer]: observer, ...none });
  for (const root of rootsOf().take(MOST_ROOTS))
    observer.observe(root, { subtree: true, childList: true, attributeOldValue: true, characterDataOldValue: true });
}

function noteChanges(records: readonly MutationRecord[]): void {
  const { changed, written, seen } = watch() ?? {};
  if (changed === undefined || written === undefined || seen === undefined) return;
  for (const record of records.slice(0, MOST_CHANGED)) {
    const { target, type } = record;
    const part = isElement(target) ? target : parentElementOf(target);
    if (part === null) continue;
    const before = changed.get(part) ?? new Map<string, string | null>();
    if (changed.size < MOST_CHANGED) changed.set(part, before);
    noteBefore(record, before);
    if (type !== 'attributes' && written.size < MOST_CHANGED) written.add(part);
    // What is hidden while a visitor looks at it has not left.
    const was = seen.get(part);
    const isInPlace = was !== undefined && topAround(part) === was.topAround;
    if (isInPlace && isHiddenNow(part, was) && shareInWindow(boxInWindow(part)) > MOSTLY)
      for (const inner of [part, ...all(part, '*').slice(0, MOST_INSIDE)]) seen.delete(inner);
  }
}

/** Records what an element contained before. What the page removes by itself, later than by the scroll, stays away. */
function noteContent(removed: readonly Node[], before: Map<string, string | null>): void {
  const isByScroll = performance.now() - Number(Reflect.get(globalThis, SCROLLED_AT)) < BY_SCROLL_MS;
  if (removed.length > 0 && !isByScroll) before.set(CONTENT, null);
  else if (!before.has(CONTENT)) before.set(CONTENT, markupOf(removed));
}

/** Notes the parts in the window, before it is scrolled away from them. */
export function leaveParts(): void {
  noteParts();
  Reflect.set(globalThis, SCROLLED_AT, performance.now());
}

/** Records what an attribute or the text of an element was before its first change. */
function noteBefore(record: MutationRecord, before: Map<string, string | null>): void {
  if (record.type === 'childList') noteContent([...record.removedNodes], before);
  const name = record.attributeName ?? TEXT;
  if (before.has(name)) return;
  const [removed] = record.removedNodes;
  if (record.type !== 'childList') before.set(name, record.oldValue);
  else if (removed !== undefined && removed.nodeType === Node.TEXT_NODE) before.set(name, removed.nodeValue);
}

/**
 * Notes how the changed parts in the window look. Their transitions are ended: page time runs ahead of them. Returns
 * true while a script shows one after the other, fades one in, or writes its text.
 * @param isDrawing true if the page requests frames: on a busy machine, a fade may wait for one
 */
export function noteParts(isDrawing = false): boolean {
  const { observer, changed, written, seen } = watch() ?? {};
  if (observer === undefined || changed === undefined || written === undefined || seen === undefined) return false;
  noteChanges(observer.takeRecords());
  for (const [target] of finiteAnimations())
    if (changed.size < MOST_CHANGED && !changed.has(target)) changed.set(target, new Map());
  if (changed.size === 0) return false;
  const parts = new Set(
    [...changed.keys()].flatMap((element) => [element, ...all(element, '*').slice(0, MOST_INSIDE)]),
  );
  const shown = [...parts]
    .slice(0, MOST_SEEN)
    .filter((part) => isConnected(part) && shareInWindow(boxInWindow(part)) > 0);
  endTransitions(new Set(shown));
  const isWriting = shown.some((part) => written.has(part) && textOf(part) !== undefined);
  written.clear();
  let [isShowing, isFadingIn] = [false, false];
  for (const part of shown) {
    const look = lookOf(part);
    const box = boxInWindow(part);
    const score = shareInWindow(box) * Number(look.opacity);
    const known = seen.get(part)?.score ?? 0;
    if (look.visibility !== 'visible' || score < known || score === 0) continue;
    isFadingIn ||= (isDrawing || score > known) && Number(look.opacity) < OPAQUE;
    if (Number(look.opacity) < FAINTEST) continue;
    isShowing ||= !seen.has(part);
    seen.set(part, { score, ...see(part, look, box) });
  }
  return isShowing || isFadingIn || isWriting;
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
  const { observer, changed, seen } = watch() ?? {};
  if (observer === undefined || changed === undefined || seen === undefined) return false;
  if (holdsAll) noteParts(); // what is in the window again
  noteChanges(observer.takeRecords());
  observer.disconnect();
  Reflect.deleteProperty(globalThis, NAMES.observer);
  if (seen.size === 0) return false;
  endTransitions(new Set(seen.keys())); // a part that is about to vanish
  for (let frame = 0; frame < FRAMES_AFTER_END; frame++) await waitForObservers();
  const parts = [...seen].filter(([part]) => isConnected(part) && !isHeldByWindow(part));
  const taken = parts.flatMap(([part, was]) => {
    const before = changed.get(part);
    const attributes = isInWindowNow(was) ? [] : attributesTakenBack(part, was, before);
    const isText = isTextTakenBack(part, was, before);
    const isOther = attributes.length > 0 || isHiddenNow(part, was) || isChangedOutside(part, was, before);
    return isOther || before?.has(CONTENT) === true ? [{ part, was, attributes, isText, isOther }] : [];
  });
  // An empty line lets the next one move up, which is no successor.
  const replaced = new Set(
    taken.flatMap(({ part, was, isText }) => (!isText && hasSuccessor(part, was) ? [part] : [])),
  );
  const held = new Map<Element, Held>(
    holdsAll ? parts.map(([part]) => [part, { look: lookOf(part), text: textOf(part) }]) : [],
  );
  for (const { part, was, attributes, isText, isOther } of taken) {
    if (isInside(part, replaced)) continue;
    const content = isInWindowNow(was) ? null : changed.get(part)?.get(CONTENT);
    if (typeof content === 'string') restoreContent(part, was, content);
    restoreAttributes(part, attributes);
    if (isOther) held.set(part, { look: was.look, text: isText ? was.text : undefined });
  }
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
