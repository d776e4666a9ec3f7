import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from '../../browser/page.ts';
import { askedFor } from '../in-page/asked-for.ts';
import { canAct } from '../in-page/can-act.ts';
import { endAnimations } from '../in-page/end-animations.ts';
import { firstSight } from '../in-page/first-sight.ts';
import { type Beat, nextBeat } from '../in-page/next-beat.ts';
import { within } from '../within.ts';

/** Page time between two frames of a page that draws in them: libraries that go by frames bear such steps. */
const SLICE_MS = 100;
/** The most at once where nobody asks for frames. */
const LEAP_MS = 1_000;
/** A request that takes longer is not waited for while time stands still. */
const HANGING_MS = 1_500;
/** What holds the page's time without being a request that we see: Chrome counts the scripts of workers. */
const UNSEEN_MS = 90;
/** A worker that is busy for longer is not waited for: it lives in the world's time. */
const WORKER_LIMIT_MS = 150;
const FRAME_LIMIT_MS = 1_000;
const NO_BEAT: Beat = { asksForFrames: false, hasTimers: true };

export interface TimeBounds {
  /** Milliseconds of the page's time. */
  readonly pageMs: number;
  /** Milliseconds of the world's. */
  readonly realMs: number;
  /** Whether animations that end are brought to their end meanwhile: what waits for that goes on then. */
  readonly endsAnimations: boolean;
}

/**
 * Lets the page's time run until nothing is left to happen in it, or the bounds are reached: in slices with a frame after each while the
 * page draws in frames, in leaps otherwise. What it asks for on the way is waited for. False when it was cut short in real time.
 */
export async function letLive(
  page: Page,
  first: Pick<Beat, 'asksForFrames'>,
  bounds: TimeBounds,
): Promise<boolean> {
  const until = performance.now() + bounds.realMs;
  let left = bounds.pageMs;
  let leap = SLICE_MS;
  let { asksForFrames } = first;
  let mayAnimate = bounds.endsAnimations;
  await drain(page, until);
  while (left > 0) {
    if (performance.now() >= until) return false;
    const ms = Math.min(left, asksForFrames ? SLICE_MS : leap);
    left -= ms;
    let hasLived = await liveFor(page, ms, until);
    if (!hasLived && !asksForFrames && mayAnimate) {
      hasLived = await page.evaluate(endAnimations, false);
      mayAnimate = false;
    }
    if (hasLived || asksForFrames) {
      ({ asksForFrames } = await beat(page));
      if (await drain(page, until)) hasLived = true;
    }
    if (hasLived) mayAnimate = bounds.endsAnimations;
    leap = hasLived ? SLICE_MS : Math.min(2 * leap, LEAP_MS);
  }
  return true;
}

/** One frame of a page that can act; undefined for one that can not. No frame may come: to a page that is kept from drawing, or busy. */
export async function firstBeat(page: Page, isScripted: boolean): Promise<Beat | undefined> {
  const beaten = page.evaluate(nextBeat, isScripted ? () => true : canAct, askedFor, firstSight);
  const late = delay(FRAME_LIMIT_MS, NO_BEAT, { ref: false });
  return await Promise.race([beaten, late]);
}

async function beat(page: Page): Promise<Beat> {
  return (await firstBeat(page, true)) ?? NO_BEAT;
}

/** True when any script ran, or anything was asked for. */
async function liveFor(page: Page, ms: number, until: number): Promise<boolean> {
  const begun = page.requests.begun();
  const before = await heapSize(page);
  const passed = new AbortController();
  await page.clock.advance(ms, stalled(page, until, passed.signal));
  passed.abort();
  if (page.children.haveWorkers()) await page.children.workersRest(WORKER_LIMIT_MS);
  const isSame = before === (await heapSize(page)) && begun === page.requests.begun();
  const hasDrained = await drain(page, until);
  return !isSame || hasDrained;
}

/** Settles when what holds the page's time is not worth waiting for. */
async function stalled(page: Page, until: number, passed: AbortSignal): Promise<void> {
  do {
    await delay(UNSEEN_MS, undefined, { signal: passed }).catch(() => undefined);
  } while (!passed.aborted && (await drain(page, until)));
}

/** Waits for the requests that are in flight, and gives up those that take too long. False when there were none. */
async function drain(page: Page, until: number): Promise<boolean> {
  const { requests } = page;
  if (!requests.arePending()) return false;
  const limitMs = Math.min(HANGING_MS, Math.max(0, until - performance.now()));
  const isDrained = await within(page, limitMs, (signal) => requests.drain(signal));
  if (!isDrained) requests.giveUp();
  return true;
}

/** Grows by whatever a script does, and stands still while none runs. */
async function heapSize(page: Page): Promise<number> {
  const { usedSize } = await page.send('Runtime.getHeapUsage');
  return usedSize;
}
