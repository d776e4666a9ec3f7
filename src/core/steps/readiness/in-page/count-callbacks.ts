import { all, viewOf } from '../../in-page/nodes.ts';
import { documentInside } from '../../in-page/roots-of.ts';
import { canAct } from './can-act.ts';
import { loadAhead } from './area/load-ahead.ts';
import { type Extent, extentOf, scrollTarget } from './area/scroll-targets.ts';
import { leaveParts } from './kept-parts.ts';
import { waitForObservers } from './wait-for-observers.ts';

/** Counts of the callbacks that the page has requested, including same-origin frames. */
export interface CallbackCounts {
  /** Timers and idle callbacks. */
  readonly timers: number;
  /** Animation frame callbacks. */
  readonly frames: number;
  /** Documents that were counted. */
  readonly documents: number;
  /** Cross-origin frames, which can't be counted. */
  readonly crossOriginFrames: number;
  /** Running CSS and Web animations. Scripts may wait for their end. */
  readonly animations: number;
}

/**
 * Counts the requested callbacks of a page. The browser assigns ids in order, so the next id of each kind reveals the
 * number. Each call uses up one id per document and kind. Runs in the page.
 */
export function countCallbacks(): CallbackCounts {
  const count = (view: Window): CallbackCounts => {
    const timer = view.setTimeout(() => undefined, 0);
    view.clearTimeout(timer);
    const idle = view.requestIdleCallback(() => undefined);
    view.cancelIdleCallback(idle);
    const frame = view.requestAnimationFrame(() => undefined);
    view.cancelAnimationFrame(frame);
    let [timers, frames, documents] = [timer + idle - 2, frame - 1, 1];
    let crossOriginFrames = 0;
    let animations = Document.prototype.getAnimations.call(view.document).length;
    for (const frame of all(view.document, 'iframe')) {
      const framed = documentInside(frame);
      const inner = framed === null ? null : viewOf(framed);
      if (inner === null) {
        crossOriginFrames++;
        continue;
      }
      const of = count(inner);
      timers += of.timers;
      frames += of.frames;
      documents += of.documents;
      crossOriginFrames += of.crossOriginFrames;
      animations += of.animations;
    }
    return { timers, frames, documents, crossOriginFrames, animations };
  };
  return count(window);
}

/**
 * Waits for an animation frame with its observers. Returns the counts from before the frame. Undefined, without a
 * frame, if the page can't act and `isScripted` is false. Runs in the page.
 */
export async function countBeforeFrame(isScripted: boolean): Promise<CallbackCounts | undefined> {
  if (!isScripted && !canAct()) return undefined;
  const before = countCallbacks();
  await waitForObservers();
  return before;
}

/** A target at a scroll position. */
interface Screen extends Extent {
  /** The counts from before the scroll. */
  readonly before: CallbackCounts;
}

/** Scrolls, and resolves when observers, scroll listeners and lazy pictures were notified. Runs in the page. */
export async function scrollToScreen(target: number, top: number): Promise<Screen> {
  const before = countCallbacks();
  leaveParts();
  scrollTarget(target, top);
  loadAhead();
  await waitForObservers();
  return { ...extentOf(target), before };
}
