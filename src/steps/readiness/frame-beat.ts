import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import type { Page } from '../../browser/page/page.ts';
import { askedFor, type AskedFor } from './in-page/asked-for.ts';
import { canAct } from './in-page/can-act.ts';
import { firstSight } from './in-page/first-sight.ts';
import { nextSight } from './in-page/next-sight.ts';
import { scrollToScreen } from './in-page/scroll-to.ts';
import { LIMIT_MS } from '../../time-limits.ts';

/** What a page wants once it has had a frame. */
export interface Beat {
  /** True when it wants to be called before the next frame, too. */
  readonly asksForFrames: boolean;
  /** True when it may want anything else: it has ever asked for a timer, something is animated, or there are frames that don't say. */
  readonly isAlive: boolean;
}

/** Of a page that has no frame: it is kept from drawing, or busy. */
const NO_BEAT: Beat = { asksForFrames: false, isAlive: true };

/** The first frame of a page that can act; undefined, and no frame, for one that can not. */
export async function firstBeat(page: Page, isScripted: boolean): Promise<Beat | undefined> {
  const before = page.evaluate(nextSight, isScripted ? () => true : canAct, askedFor, firstSight);
  return await Promise.race([
    before.then((asked) => asked && since(page, asked)),
    delay(LIMIT_MS.frame, NO_BEAT, { ref: false }),
  ]);
}

/** One more frame, in frames of other sites too. */
export async function beat(page: Page): Promise<Beat> {
  const [own] = await Promise.all([firstBeat(page, true), ...page.children.frames().map(frameOfOtherSite)]);
  return own ?? NO_BEAT;
}

interface Screen extends Beat {
  /** CSS pixels, of the page and of what is seen of it. */
  readonly height: number;
  readonly step: number;
}

/** The frame after a scroll to there. Undefined for a page that has none. */
export async function scrolledBeat(page: Page, top: number): Promise<Screen | undefined> {
  const scrolled = page.evaluate(scrollToScreen, top, askedFor, firstSight);
  const screen = scrolled.then(async ({ height, step, before }) => ({
    height,
    step,
    ...(await since(page, before)),
  }));
  const late = delay(LIMIT_MS.frame, undefined, { ref: false });
  return await Promise.race([screen, late]);
}

/** Asked in a turn of its own: what other observers of the frame do comes before that. */
async function since(page: Page, before: AskedFor): Promise<Beat> {
  const now = await page.evaluate(askedFor);
  const hasTimers = before.timers > 0 || now.timers - before.timers > 2 * now.documents;
  return {
    asksForFrames: now.frames - before.frames > now.documents,
    isAlive: hasTimers || now.animations > 0 || now.strangers > 0,
  };
}

/** Two frames: what the first shows is there with the second. */
async function frameOfOtherSite(session: CDPSession): Promise<void> {
  // Observers, as frame callbacks of the page run without a frame while its time runs ahead.
  const expression = `(${firstSight.toString()})().then(${firstSight.toString()})`;
  const seen = session.send('Runtime.evaluate', { expression, awaitPromise: true });
  const late = delay(LIMIT_MS.frameOfOtherSite, undefined, { ref: false });
  await Promise.race([seen, late]).catch(() => undefined); // it is gone
}
