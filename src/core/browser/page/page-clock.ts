import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import { raceAbort, withTimeout } from '../../ground/timeouts.ts';
import { PageStuckError } from '../browser-errors.ts';
import { createPassing, type PassingOptions } from './passing-time.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

/**
 * Real time between two grants of page time after running ahead. A frame needs 16.7 ms of page time, and each grant
 * takes processor time.
 */
const PACE_MS = 17;
/** The same while a call waits for a frame. With shorter intervals, frames came no sooner (measured 2026-11-27). */
const FRAME_PACE_MS = 4;

/**
 * Page time: timers, `Date` and `performance.now()`. It is real time until it is first advanced. From then on it passes
 * only as granted here, because Chrome can't switch back: as fast as possible during `advance`, and at the pace of real
 * time otherwise, so that other code needs to know nothing about it. Page time is never behind real time: Chrome stamps
 * frames with real time and does not draw frames of the future. Frame callbacks run in page time, too
 * (`page-frames.ts`). Cross-site frames are granted the same in their own processes. CSS animations and workers stay in
 * real time. A page that waits in a loop for the clock is stuck.
 */
export interface PageClock {
  /**
   * Advances page time by this many milliseconds as fast as possible, even if requests are in flight. Ends early when
   * the document is replaced. Returns false if the page answers, but is too slow to use up the time within
   * `LIMIT_MS.stuck`.
   * @throws PageStuckError if a script waits in a loop for the clock
   */
  readonly advance: (ms: number) => Promise<boolean>;
  /**
   * Stops granting until the returned function is called: timers wait, frames are mostly still drawn. Does nothing
   * while page time is real time, because stopping that would prevent the first frames. If a picture `isDrawn`
   * meanwhile, a page with heavy frames goes on almost without frames: its time is not ahead, and Chrome draws no
   * frames of the future.
   */
  readonly hold: (isDrawn: boolean) => Promise<() => void>;
  /**
   * Settles like `work`, which waits for a frame. Until then, at most for `LIMIT_MS.frame`, page time passes in shorter
   * intervals, because Chrome notifies observers of a frame only while page time passes.
   */
  readonly untilFrame: <T>(work: Promise<T>) => Promise<T>;
  /**
   * Sets the date at which page time begins to run ahead, in Unix milliseconds. Without `keepsPace`, it passes only by
   * `advance`, for awaited frames, and where it would be behind real time: as much in each capture, as far as possible.
   */
  readonly beginAt: (ms: number, keepsPace: boolean) => void;
  /** True if page time passes only where it must. */
  readonly isSaving: () => boolean;
  /** True if page time has run ahead. */
  readonly hasRunAhead: () => boolean;
  /** The date that the page would show if its time had not run ahead. */
  readonly realDate: () => number;
  /** True if the frames of the page take so long that page time may have fallen behind without a notice. */
  readonly hasHeavyFrames: () => boolean;
  /** Stops the clock for good. */
  readonly stop: () => void;
}

interface ClockOptions extends PassingOptions {
  /** Closes the page, for which time can no longer pass. */
  readonly lose: (reason: PageStuckError) => void;
}

export function createPageClock(options: ClockOptions): PageClock {
  const { session, signal, lose } = options;
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  const passing = createPassing(options);
  const grants = createGrants(session);
  let holds = 0;

  const keepPace = async (intervalMs: number, until: AbortSignal, isAwaited = false): Promise<void> => {
    while (!until.aborted) {
      try {
        await delay(intervalMs, undefined, { signal: until });
        if (holds > 0) continue;
        const ms = passing.missingMs(isAwaited);
        if (ms === 0) continue;
        const isInTime = await grants.run(() => passing.atPace(ms), LIMIT_MS.stuckAtPace);
        if (!isInTime && !until.aborted) await passing.stopTimers();
      } catch (error) {
        if (error instanceof PageStuckError) lose(error);
        // Otherwise the page was closed, which other waits report, or it navigates, and time continues in the new
        // document.
      }
    }
  };

  return {
    advance: async (ms) => {
      const isFirst = grants.last() === undefined;
      const advanced = grants.run(() => passing.advance(ms), LIMIT_MS.betweenTasks);
      if (isFirst) void advanced.catch(() => undefined).then(() => keepPace(PACE_MS, ends));
      return await advanced;
    },
    hold: async (isDrawn) => {
      if (isDrawn && passing.leavesFramesOut()) return () => undefined;
      holds++;
      let isHeld = true;
      const letGo = (): void => {
        if (isHeld) holds--;
        isHeld = false;
      };
      const last = grants.last();
      if (last !== undefined) await raceAbort(last, signal);
      return letGo;
    },
    untilFrame: async (work) => {
      if (grants.last() === undefined) return await work;
      const settled = new AbortController();
      void keepPace(FRAME_PACE_MS, AbortSignal.any([ends, settled.signal, AbortSignal.timeout(LIMIT_MS.frame)]), true);
      try {
        return await work;
      } finally {
        settled.abort();
      }
    },
    hasRunAhead: () => grants.last() !== undefined,
    beginAt: passing.beginAt,
    isSaving: passing.isSaving,
    realDate: passing.realDate,
    hasHeavyFrames: passing.hasHeavyFrames,
    stop: () => over.abort(),
  };
}

/** Runs one grant at a time, because another grant would replace it. */
function createGrants(session: CDPSession) {
  let last: Promise<unknown> | undefined;
  const stuck = (): PageStuckError => {
    // Otherwise the script would block its renderer and prevent closing the page.
    session.send('Runtime.terminateExecution').catch(() => undefined);
    return new PageStuckError('the page does not answer while its clock is stopped');
  };
  /** Returns false if the page is slow but still answers between two tasks. A script in a loop never answers. */
  const withinLimit = async (work: Promise<void>, answerMs: number): Promise<boolean> => {
    const late = new Error('the grant has not ended');
    try {
      await withTimeout(work, LIMIT_MS.stuck, () => late);
      return true;
    } catch (error) {
      if (error !== late) throw error;
    }
    await withTimeout(session.send('Runtime.evaluate', { expression: '0' }), answerMs, stuck);
    return false;
  };

  return {
    /** Resolves when the last grant has settled. Undefined before the first grant. */
    last: (): Promise<unknown> | undefined => last,
    /**
     * Returns false if the page is too slow for `LIMIT_MS.stuck`.
     * @throws PageStuckError if it does not answer within `answerMs` then
     */
    run: (grant: () => Promise<void>, answerMs: number): Promise<boolean> => {
      const mine = (last ?? Promise.resolve()).then(() => withinLimit(grant(), answerMs));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
