import type { Page } from '../../browser/page/page.ts';
import { raceAbort } from '../../ground/timeouts.ts';
import { isWindowScrolled, scrollToTop } from './in-page/scroll-to-top.ts';
import { prepareToPaint } from './in-page/prepare-to-paint.ts';
import { prepareWholePage } from './in-page/area/prepare-whole-page.ts';
import { isActed, type PlainStep, type Step, type StepContext } from '../common/step.ts';
import { waitAtMost } from '../common/waiting.ts';
import { appearanceCheck } from '../appearance.ts';
import { area } from '../area.ts';
import { isAtRest, hasSlowFrames } from './at-rest.ts';
import { stopFramesOfOthers, stopPictures } from './stop-pictures.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

/**
 * Waits for requests in flight and for those that follow from them. Adds a warning for requests that exceed the limit,
 * which are not awaited again. False if there were none, which costs nothing.
 * @throws Error like `waitAtMost`
 */
export async function drainRequests(page: Page, context: Pick<StepContext, 'warn'>): Promise<boolean> {
  const { requests } = page;
  if (!requests.arePending()) return false;
  const isDrained = await waitAtMost(page, LIMIT_MS.requests, async (signal) => {
    while (requests.arePending() && !signal.aborted) {
      await requests.drain(signal);
      await afterAnswer(page, signal);
    }
  });
  if (!isDrained) {
    requests.giveUp();
    context.warn('requests_pending');
  }
  return true;
}

/** Waits until the page has answered a call. Requests that a response causes are known by then. */
async function afterAnswer(page: Page, signal: AbortSignal): Promise<void> {
  const answered = page.evaluate(() => undefined);
  await raceAbort(answered, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Waits for the requests that were in flight at `load`. */
export const pendingRequests: PlainStep = {
  name: 'pending-requests',
  apply: async (page, _options, context) => {
    await drainRequests(page, context);
  },
};

const paintFields = appearanceCheck.schema.extend(area.schema.shape);
/** Grants that pass the time of a page with slow frames: the end of an earlier grant may end some of them. */
const MAX_GRANTS = 10;
/** Without a grant after its scripts were stopped, Chrome sometimes drew such a page only 1 s later. */
const FRAME_MS = 17;
/** Page time may be behind real time by this much without a picture that comes later. */
const DRAWN_BEHIND_MS = 50;
/** Most page time of one grant, also if the clock of the machine has jumped. */
const MOST_BEHIND_MS = 60_000;
/** A page whose time is behind by more has not run ahead, although its grants have ended. */
const LATE_MS = 1_000;
const FAR = 1e9; // JSON has no Infinity

/**
 * The last step before rendering: gives the page a frame, waits for the requests, web fonts and pictures that it needs,
 * and stops animations. Skipped for text formats.
 */
export const readyToPaint: Step<typeof paintFields> = {
  name: 'ready-to-paint',
  schema: paintFields,
  apply: async (page, { disable_animations: isHeld, full_page_max_height: cutAt }, context) => {
    const { isPainted, isActedOn, wholePage, leavesWindow, shows, warn } = context;
    const isPrinted = context.paper !== undefined;
    if (!isPainted) return;
    const bounds = {
      isScripted: isActedOn,
      isAtRest: await isAtRest(page),
      wholePage,
      area: leavesWindow ? { isPrinted, cutAt: isPrinted ? FAR : (cutAt ?? FAR) } : undefined,
      limitMs: LIMIT_MS.paint,
      frameLimitMs: LIMIT_MS.frame,
      stillLimitMs: isHeld ? LIMIT_MS.still : 0,
      videoLimitMs: LIMIT_MS.videoFrame,
    };
    if (leavesWindow && (await page.evaluate(isWindowScrolled)))
      await page.clock.untilFrame(page.evaluate(scrollToTop, isActed(page, context)));
    const prepare = wholePage || leavesWindow ? prepareWholePage : prepareToPaint;
    let pending = await page.clock.untilFrame(page.evaluate(prepare, bounds));
    if (await drainRequests(page, context))
      pending = await page.clock.untilFrame(page.evaluate(prepare, { ...bounds, isAtRest: false }));
    await Promise.all([stopPictures(page), stopFramesOfOthers(page, isHeld)]);
    const isSlow = hasSlowFrames(page) || page.clock.hasHeavyFrames();
    if (isSlow && !isPrinted && (await stopScripts(page)) > LATE_MS) warn('run_ahead_incomplete');
    shows.something = pending.something;
    if (pending.fonts) warn('fonts_not_ready');
    if (pending.images) warn('images_not_ready');
    if (pending.glyphs) warn('glyphs_missing');
    if (pending.undrawn) warn('frame_not_drawn');
  },
};

/**
 * Stops the scripts of a page with slow frames, and passes the time that they have left behind: Chrome draws the
 * picture only then (6 s later with frames of 1.5 s, headless shell 153, 2026-11-29). Returns the milliseconds by which
 * the time was behind.
 */
async function stopScripts(page: Page): Promise<number> {
  await page.onSession((session) => session.send('Emulation.setScriptExecutionDisabled', { value: true }));
  let firstMs = 0;
  for (let count = 0; count < MAX_GRANTS; count++) {
    const behindMs = page.clock.realDate() - (await page.evaluate(() => Date.now()));
    if (count === 0) firstMs = behindMs;
    if (count > 0 && behindMs <= DRAWN_BEHIND_MS) break;
    await page.clock.advance(Math.min(Math.max(behindMs, FRAME_MS), MOST_BEHIND_MS));
  }
  return firstMs;
}
