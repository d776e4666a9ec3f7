import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import type { Page } from '../../browser/page/page.ts';
import { type CallbackCounts, countBeforeFrame, countCallbacks, scrollToScreen } from './in-page/count-callbacks.ts';
import type { Extent } from './in-page/area/scroll-targets.ts';
import { waitForObservers } from './in-page/wait-for-observers.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

/** Activity of a page after an animation frame. */
export interface FrameProbe {
  /** True if the page requests another animation frame. */
  readonly requestsFrames: boolean;
  /**
   * True if the page may request more frames: it has used timers, has animations, or has frames that can't be queried.
   */
  readonly isActive: boolean;
}

/** Result for a page that has no frames, because its drawing is suspended or it is busy. */
const NO_FRAME: FrameProbe = { requestsFrames: false, isActive: true };

/** Gives a page its first animation frame. Undefined, without a frame, for a page that can't act. */
export async function probeFirstFrame(page: Page, isScripted: boolean): Promise<FrameProbe | undefined> {
  const before = page.clock.untilFrame(page.evaluate(countBeforeFrame, isScripted));
  return await Promise.race([
    before.then((counts) => counts && probeSince(page, counts)),
    delay(LIMIT_MS.frame, NO_FRAME, { ref: false }),
  ]);
}

/** Gives the page another animation frame, including cross-site frames. */
export async function probeFrame(page: Page): Promise<FrameProbe> {
  const [own] = await Promise.all([probeFirstFrame(page, true), ...page.children.frames().map(probeOtherSite)]);
  return own ?? NO_FRAME;
}

interface Screen extends FrameProbe, Extent {}

/** Scrolls a target and gives the page an animation frame. Undefined if it has none. */
export async function probeScrolledFrame(page: Page, target: number, top: number): Promise<Screen | undefined> {
  const scrolled = page.clock.untilFrame(page.evaluate(scrollToScreen, target, top));
  const screen = scrolled.then(async ({ height, step, before }) => ({
    height,
    step,
    ...(await probeSince(page, before)),
  }));
  const late = delay(LIMIT_MS.frame, undefined, { ref: false });
  return await Promise.race([screen, late]);
}

/**
 * Compares the counts with the counts from before the frame. Runs in a later event loop turn, after the other observers
 * of the frame.
 */
async function probeSince(page: Page, before: CallbackCounts): Promise<FrameProbe> {
  const now = await page.evaluate(countCallbacks);
  const hasTimers = before.timers > 0 || now.timers - before.timers > 2 * now.documents;
  return {
    requestsFrames: now.frames - before.frames > now.documents,
    isActive: hasTimers || now.animations > 0 || now.crossOriginFrames > 0,
  };
}

/** Gives a cross-site frame two animation frames: effects of the first are drawn with the second. */
async function probeOtherSite(session: CDPSession): Promise<void> {
  // Uses observers, because frame callbacks run without a frame while page time runs ahead.
  const expression = `(${waitForObservers.toString()})().then(${waitForObservers.toString()})`;
  const observed = session.send('Runtime.evaluate', { expression, awaitPromise: true });
  const late = delay(LIMIT_MS.frameOfOtherSite, undefined, { ref: false });
  await Promise.race([observed, late]).catch(() => undefined); // the frame was removed
}
