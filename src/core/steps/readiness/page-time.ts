import type { Page } from '../../browser/page/page.ts';
import { endAnimations } from './in-page/end-animations.ts';
import { isStillChanging, watchLateChanges } from './in-page/late-changes.ts';
import type { StepContext } from '../common/step.ts';
import { waitAtMost } from '../common/waiting.ts';
import { probeFrame, type FrameProbe } from './frame-probe.ts';
import { heapSize, restsWith } from './at-rest.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

/** First step of page time, and first step after a request. Each later step is twice as long, up to a limit. */
const FIRST_STEP_MS = 100;
/** First step of a page that requests frames, which shows how long its callbacks take. */
const FIRST_SLICE_MS = 50;
/** Longest step while the page requests frames: observers and layout see a frame after each. */
const SLICE_MS = 300;
/** Longest step while the page requests no frames. A request that a timer makes starts at the end of the step. */
const LEAP_MS = 800;
/** Longest step of the last part of the time, when little is left to happen. */
const LAST_LEAP_MS = 1_750;
/** The last step may be longer than the others by this factor, so that no short step follows it. */
const LAST_STEP_GROWTH = 1.5;

interface TimeLeft {
  /** Remaining page time in milliseconds. */
  readonly pageMs: number;
  /** Remaining real time in milliseconds. */
  readonly realMs: number;
}

interface TimeBounds extends TimeLeft {
  /** The last part of the time. It has its own limit of real time, and changes at its end are a warning. */
  readonly lastPart?: TimeLeft | undefined;
  /** True to finish finite animations, because scripts may wait for their end. */
  readonly endsAnimations: boolean;
  /** First step. Default: short ones, which show what the page does. */
  readonly firstStepMs?: number;
  /** Adds a warning for requests that were given up. */
  readonly warn: StepContext['warn'];
  /** Ends early when its condition is met. */
  readonly ready?: StepContext['ready'];
}

/**
 * Advances page time until nothing is pending or a limit is reached. While the page requests animation frames, advances
 * in slices with a frame after each; otherwise in larger steps. Waits for requests in between. Stops when the page
 * navigates or is ready. Returns the remaining page time if the page navigates, and the remaining real time, 0 if that
 * limit ended it. If only the limit of the last part is reached, the page counts as done.
 */
export async function advancePageTime(page: Page, first: FrameProbe, bounds: TimeBounds): Promise<TimeLeft> {
  const until = performance.now() + bounds.realMs;
  const limit = { until, warn: bounds.warn };
  const { lastPart } = bounds;
  let isLast = false;
  let left = bounds.pageMs;
  let { requestsFrames } = first;
  let step = bounds.firstStepMs ?? (requestsFrames ? FIRST_SLICE_MS : FIRST_STEP_MS);
  let mayAnimate = bounds.endsAnimations;
  let heap: number | undefined; // unknown after a call to the page, because the call creates objects
  const document = page.mainFrame.current();
  const isThere = (): boolean => !page.mainFrame.isLeaving() && page.mainFrame.current() === document;
  await drain(page, limit);
  while (left > 0 && isThere() && bounds.ready?.isMet !== true) {
    if (lastPart !== undefined && !isLast && left <= lastPart.pageMs) {
      isLast = true;
      limit.until = Math.min(until, performance.now() + lastPart.realMs);
      await page.evaluate(watchLateChanges);
      heap = undefined;
      step = Math.max(step, LEAP_MS);
    }
    if (performance.now() >= until) return { pageMs: left, realMs: 0 };
    if (performance.now() >= limit.until) break;
    const leap = isLast ? LAST_LEAP_MS : LEAP_MS;
    const room = isLast ? left : left - (lastPart?.pageMs ?? 0);
    const ms = stepOf(room, Math.min(step, requestsFrames ? SLICE_MS : leap));
    left -= ms;
    const started = page.requests.startedCount();
    const result = await advanceStep(page, ms, { ...limit, heap, requestsFrames });
    if (!result.isInTime) return { pageMs: left, realMs: 0 };
    let { hasActed } = result;
    ({ heap } = result);
    if (!hasActed && !requestsFrames && mayAnimate) {
      hasActed = await page.evaluate(endAnimations, false);
      mayAnimate = false;
      heap = undefined;
    }
    let hasDrained = false;
    if (hasActed || requestsFrames) {
      ({ requestsFrames } = await probeFrame(page));
      hasDrained = await drain(page, limit);
      heap = undefined;
    }
    if (hasActed || hasDrained) mayAnimate = bounds.endsAnimations;
    const hasLoaded = hasDrained && started !== page.requests.startedCount();
    step = hasLoaded && !isLast ? FIRST_STEP_MS : 2 * step;
  }
  if (heap !== undefined) restsWith(page, heap);
  else if (isLast && isThere() && (await page.evaluate(isStillChanging))) bounds.warn('still_changing');
  return { pageMs: left, realMs: Math.max(1, until - performance.now()) };
}

/**
 * Returns the length of the next step. If the remaining time is little longer than a step, it becomes a single step,
 * because each step takes three calls.
 */
function stepOf(left: number, step: number): number {
  return left <= step * LAST_STEP_GROWTH ? left : step;
}

interface Limit {
  /** Deadline on the clock of `performance.now()`. */
  readonly until: number;
  readonly warn: StepContext['warn'];
}

interface StepResult {
  /** True if a script has run or a request has started. */
  readonly hasActed: boolean;
  /** Heap size in bytes. Undefined if it was not read. */
  readonly heap: number | undefined;
  /** False if the page was too slow to use up its time. */
  readonly isInTime: boolean;
}

interface StepStart extends Limit {
  /** Current heap size in bytes. Undefined if it is unknown. */
  readonly heap: number | undefined;
  /** True if the page requests frames. Its scripts then run in each step, so the heap size is not read. */
  readonly requestsFrames: boolean;
}

/** Advances page time by one step. */
async function advanceStep(page: Page, ms: number, start: StepStart): Promise<StepResult> {
  const { requestsFrames } = start;
  const started = page.requests.startedCount();
  // Both messages are sent at once, and the browser handles them in this order.
  const [before, isInTime] = await Promise.all([
    requestsFrames ? undefined : (start.heap ?? heapSize(page)),
    page.clock.advance(ms),
  ]);
  if (page.children.haveWorkers()) await page.children.workersRest(LIMIT_MS.worker);
  const heap = requestsFrames ? undefined : await heapSize(page);
  const hasActed = requestsFrames || before !== heap || started !== page.requests.startedCount();
  await drain(page, start);
  return { hasActed, heap, isInTime };
}

/** Waits for requests in flight, and gives up those that take too long. False if there were none. */
async function drain(page: Page, { until, warn }: Limit): Promise<boolean> {
  const { requests } = page;
  if (!requests.arePending()) return false;
  const limitMs = Math.round(Math.min(LIMIT_MS.requestAhead, Math.max(0, until - performance.now())));
  const isDrained = await waitAtMost(page, limitMs, (signal) => requests.drain(signal));
  if (isDrained) return true;
  requests.giveUp();
  warn('requests_pending');
  return true;
}
