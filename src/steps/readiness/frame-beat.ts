import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import type { Page } from '../../browser/page/page.ts';
import { askedFor, type AskedFor } from './in-page/asked-for.ts';
import { canAct } from './in-page/can-act.ts';
import { firstSight } from './in-page/first-sight.ts';
import { nextSight } from './in-page/next-sight.ts';
import { scrollToScreen } from './in-page/scroll-to.ts';
import { LIMIT_MS } from '../../time-limits.ts';

/** What a page requests after an animation frame. */
export interface Beat {
  /** True if it requests another animation frame. */
  readonly asksForFrames: boolean;
  /** True if the page may request more frames: it has used timers, has animations, or has frames that can't be queried. */
  readonly isAlive: boolean;
}

/** Result for a page without frames: its drawing is suspended, or it is busy. */
const NO_BEAT: Beat = { asksForFrames: false, isAlive: true };

/** Gives a page its first animation frame. Undefined, without a frame, for a page that can't act. */
export async function firstBeat(page: Page, isScripted: boolean): Promise<Beat | undefined> {
  const before = page.evaluate(nextSight, isScripted ? () => true : canAct, askedFor, firstSight);
  return await Promise.race([
    before.then((asked) => asked && since(page, asked)),
    delay(LIMIT_MS.frame, NO_BEAT, { ref: false }),
  ]);
}

/** Gives the page another animation frame, including cross-site frames. */
export async function beat(page: Page): Promise<Beat> {
  const [own] = await Promise.all([firstBeat(page, true), ...page.children.frames().map(frameOfOtherSite)]);
  return own ?? NO_BEAT;
}

interface Screen extends Beat {
  /** In CSS pixels: the page, and its visible part. */
  readonly height: number;
  readonly step: number;
}

/** Scrolls and gives the page an animation frame. Undefined if it has none. */
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

/** Asked in a later turn of the event loop, after the other observers of the frame. */
async function since(page: Page, before: AskedFor): Promise<Beat> {
  const now = await page.evaluate(askedFor);
  const hasTimers = before.timers > 0 || now.timers - before.timers > 2 * now.documents;
  return {
    asksForFrames: now.frames - before.frames > now.documents,
    isAlive: hasTimers || now.animations > 0 || now.strangers > 0,
  };
}

/** Two frames: effects of the first are drawn with the second. */
async function frameOfOtherSite(session: CDPSession): Promise<void> {
  // Uses observers, because frame callbacks run without a frame while page time runs ahead.
  const expression = `(${firstSight.toString()})().then(${firstSight.toString()})`;
  const seen = session.send('Runtime.evaluate', { expression, awaitPromise: true });
  const late = delay(LIMIT_MS.frameOfOtherSite, undefined, { ref: false });
  await Promise.race([seen, late]).catch(() => undefined); // it has gone
}
