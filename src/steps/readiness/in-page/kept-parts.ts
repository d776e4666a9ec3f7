import { all, boxOf, computed, isConnected, isElement, parentElementOf, read } from '../../in-page/nodes.ts';
import { styleForPicture } from '../../in-page/for-picture.ts';
import { rootsOf } from '../../in-page/roots-of.ts';
import { isHeldByWindow } from './area/virtual.ts';
import { animationsIn } from './end-animations.ts';
import { targetOf } from './stop-endless.ts';

// Parts that a page shows while they are in the window, and hides again when they leave it.

/** Limits for pages that change much while they are scrolled. */
const MOST_ROOTS = 100;
const MOST_CHANGED = 1_000;
const MOST_INSIDE = 200;
const MOST_SEEN = 5_000;
const MOST_ANIMATIONS = 1_000;
/** Opacity from which a part counts as seen, and a loss of it from which it counts as hidden. */
const FAINTEST = 0.3;
const LEAST_LOSS = 0.2;
/** Share of a part or of the window. A part of which the window shows less has left. */
const MOSTLY = 0.5;

/** What hides a part without a change of the layout. */
interface Look {
  readonly opacity: string;
  readonly visibility: string;
  readonly transform: string;
  readonly translate: string;
  readonly scale: string;
  readonly rotate: string;
  readonly filter: string;
  readonly clipPath: string;
  readonly backgroundColor: string;
}

interface Seen {
  /** Share of the part in the window, times its opacity. */
  readonly score: number;
  readonly look: Look;
  readonly content: readonly ChildNode[];
  /** Place on the page. */
  readonly place: DOMRect;
}

interface Watch {
  readonly observer: MutationObserver;
  readonly changed: Set<Element>;
  readonly seen: Map<Element, Seen>;
}

/** Properties of the isolated world's window, invisible to the page. */
const NAMES = { observer: 'captureObserver', changed: 'captureChanged', seen: 'captureSeenParts' };

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

/** Notes how the changed parts in the window look. Their transitions are ended: page time runs ahead of them. */
export function noteParts(): void {
  const { observer, changed, seen } = watch() ?? {};
  if (observer === undefined || changed === undefined || seen === undefined) return;
  noteChanges(observer.takeRecords());
  if (changed.size === 0) return;
  const parts = new Set([...changed].flatMap((element) => [element, ...all(element, '*').slice(0, MOST_INSIDE)]));
  const shown = [...parts].slice(0, MOST_SEEN).filter((part) => isConnected(part) && shareInWindow(boxOf(part)) > 0);
  endTransitions(new Set(shown));
  for (const part of shown) {
    const look = lookOf(part);
    const place = boxOf(part);
    const score = shareInWindow(place) * Number(look.opacity);
    if (look.visibility !== 'visible' || Number(look.opacity) < FAINTEST || score <= (seen.get(part)?.score ?? 0))
      continue;
    const content = [...read(Node.prototype, part, 'childNodes')];
    seen.set(part, {
      score,
      look,
      content,
      place: new DOMRect(place.x + scrollX, place.y + scrollY, place.width, place.height),
    });
  }
}

/**
 * Restores parts that the page has hidden or emptied since they left the window. Leaves out what the window holds in
 * place, and slides that others have replaced. Runs in the page.
 */
export function keepParts(): void {
  const { observer, seen } = watch() ?? {};
  if (observer === undefined || seen === undefined) return;
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
  endTransitions(new Set(seen.keys())); // a part that is about to vanish
  const hidden = [...seen].filter(([part, was]) => isConnected(part) && isHidden(part, was) && !isHeldByWindow(part));
  for (const [part, { look }] of hidden.filter(([each, { place }]) => !hasSuccessor(each, place))) {
    const { clipPath, backgroundColor, ...styles } = look;
    styleForPicture(part, { ...styles, 'clip-path': clipPath, transition: 'none' });
    if (!isClear(backgroundColor)) styleForPicture(part, { 'background-color': backgroundColor });
  }
}

function lookOf(part: Element): Look {
  const { opacity, visibility, transform, translate, scale, rotate, filter, clipPath, backgroundColor } =
    computed(part);
  return { opacity, visibility, transform, translate, scale, rotate, filter, clipPath, backgroundColor };
}

function isHidden(part: Element, was: Seen | undefined): boolean {
  if (was === undefined) return false;
  const now = lookOf(part);
  if (now.visibility !== 'visible' || Number(now.opacity) < Number(was.look.opacity) - LEAST_LOSS) return true;
  if (isClear(now.backgroundColor) && !isClear(was.look.backgroundColor)) return true;
  const { width, height, x } = boxOf(part);
  if (was.place.width * was.place.height === 0) return false;
  const isBeside = x + scrollX >= innerWidth || x + scrollX + width <= 0;
  return width * height === 0 || (isBeside && was.place.x < innerWidth && was.place.right > 0);
}

function isClear(color: string): boolean {
  return color === 'transparent' || /^rgba\(.*, 0\)$/.test(color);
}

/** Returns the share of a box, or of the window if that is smaller, that the window shows. */
function shareInWindow({ left, top, right, bottom, width, height }: DOMRect): number {
  const across = Math.min(right, innerWidth) - Math.max(left, 0);
  const down = Math.min(bottom, innerHeight) - Math.max(top, 0);
  if (across <= 0 || down <= 0) return 0;
  return (across * down) / (Math.min(width, innerWidth) * Math.min(height, innerHeight));
}

function endTransitions(parts: ReadonlySet<Element>): void {
  const running = rootsOf().take(MOST_ROOTS).flatMap(animationsIn).take(MOST_ANIMATIONS);
  for (const animation of running) {
    const { effect, timeline, playState } = animation;
    const target = targetOf(animation);
    if (effect === null || target === null || !parts.has(target)) continue;
    const isByScroll = timeline === null || 'source' in timeline;
    if (playState === 'running' && !isByScroll && effect.getComputedTiming().endTime !== Infinity) animation.finish();
  }
}

/** True for a slide: a sibling lies at its place now. */
function hasSuccessor(part: Element, place: DOMRect): boolean {
  const parent = parentElementOf(part);
  if (parent === null) return false;
  return [...parent.children].slice(0, MOST_INSIDE).some((sibling) => {
    const { x, y, width, height } = boxOf(sibling);
    const { opacity, visibility } = computed(sibling);
    if (sibling === part || Number(opacity) < FAINTEST || visibility !== 'visible') return false;
    const across = Math.min(x + scrollX + width, place.right) - Math.max(x + scrollX, place.x);
    const down = Math.min(y + scrollY + height, place.bottom) - Math.max(y + scrollY, place.y);
    return across > 0 && down > 0 && across * down > place.width * place.height * MOSTLY;
  });
}
