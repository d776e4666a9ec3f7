import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Protocol } from 'puppeteer';
import { raceAbort, withTimeout } from '../../timeouts.ts';
import { PageStuckError } from '../browser-errors.ts';
import type { MainFrame } from './main-frame.ts';
import type { PageFrames } from './page-frames.ts';
import { LIMIT_MS } from '../../time-limits.ts';

/** How often page time is granted once it no longer flows by itself: a frame needs 16.7 ms of it to be painted, and each grant costs. */
const PACE_MS = 17;
/** Tasks that may run without any time passing: timers of 0 ms and promises would keep the clock for ever. */
const MAX_TASKS_AT_ONCE = 1_000;
/** Page time from one frame to the next. The fastest is a display of 120 Hz: 300 frames fit into the default of `run_ahead`. */
const FRAME_MS = { first: 25, fastest: 8, slowest: 300 };
/** Share of page time that may pass in real time. Frames are made rarer where it is more: a page may take 100 ms to draw one. */
const REAL_SHARE = 0.5;

/**
 * The page's own time: timers, `Date`, `performance.now()`. It is that of the world until it is first advanced; from then on it
 * passes only as it is granted here, since Chrome knows no way back: as fast as the page can while somebody advances it, and at the
 * pace of the world otherwise, so that nothing that waits for the page has to know of it. It is never behind the world's: frames are
 * stamped by that, and one of the future is not drawn. Frame callbacks run in page time, too (`page-frames.ts`).
 *
 * Frames of other sites get as much, in their own processes. CSS animations and workers stay with the time of the world.
 */
export interface PageClock {
  /**
   * Lets the page live for so many milliseconds of its time, as fast as it can, whatever is in flight. Ends early when another document
   * comes.
   * @throws PageStuckError when a script waits for a time that does not come.
   */
  readonly advance: (ms: number) => Promise<void>;
  /**
   * Grants no more time until what it gives back is called: timers wait, and mostly frames are drawn all the same. Nothing where the time is
   * still that of the world: to stop that would keep the first frames from being drawn.
   */
  readonly hold: () => Promise<() => void>;
  /** Ends what keeps the clock going. */
  readonly stop: () => void;
}

interface ClockOptions {
  readonly session: CDPSession;
  readonly mainFrame: MainFrame;
  readonly callbacks: PageFrames;
  /** The sessions of frames in other processes. */
  readonly frames: () => readonly CDPSession[];
  readonly signal: AbortSignal;
  /** Ends the page, for which no time would pass any more. */
  readonly lose: (reason: PageStuckError) => void;
}

export function createPageClock({
  session,
  mainFrame,
  callbacks,
  frames,
  signal,
  lose,
}: ClockOptions): PageClock {
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  let frameMs = FRAME_MS.first;
  let toldDocument: unknown;
  let toldMs = 0; // to that document
  const toldFrames = new WeakMap<CDPSession, number>();
  let turn: Promise<unknown> | undefined;
  let startedAt: number | undefined;
  let granted = 0;
  let lastAt = 0; // when what was granted last was used up
  let isHeld = false;
  const lead = (): number => granted - (performance.now() - (startedAt ?? performance.now()));

  const stuck = (): PageStuckError => {
    // Else it would hold its renderer for ever, and with it the end of the page.
    session.send('Runtime.terminateExecution').catch(() => undefined);
    return new PageStuckError('the page does not answer while its clock stands still');
  };
  const beginCallbacks = async (): Promise<void> => {
    const document = mainFrame.current();
    if (toldDocument === document && toldMs === frameMs) return;
    toldDocument = document;
    toldMs = frameMs;
    await callbacks.begin(frameMs);
  };
  const passInFrame = async (frame: CDPSession, ms: number): Promise<void> => {
    const isNews = toldFrames.get(frame) !== frameMs;
    toldFrames.set(frame, frameMs);
    await Promise.all([isNews && callbacks.beginIn(frame, frameMs), passIn(frame, ms)]);
  };
  const advance = async (ms: number): Promise<void> => {
    const began = performance.now();
    await pass(ms);
    const share = (performance.now() - began) / ms;
    frameMs = nextFrameMs(frameMs, share);
  };
  const pass = async (ms: number): Promise<void> => {
    await beginCallbacks();
    startedAt ??= performance.now();
    const own = passIn(session, ms);
    const inFrames = frames().map((frame) => {
      const late = delay(LIMIT_MS.grantInFrame, undefined, { ref: false });
      return Promise.race([passInFrame(frame, ms), late]).catch(() => undefined); // it is gone
    });
    // Of a document that is left meanwhile, nobody says that its time is over.
    await raceAbort(Promise.race([Promise.all([own, ...inFrames]), mainFrame.next()]), signal);
    granted += ms;
    lastAt = performance.now();
  };
  /** One grant at a time: the next would take the place of the one before. */
  const inTurn = (work: () => Promise<void>, limitMs: number): Promise<void> => {
    const mine = (turn ?? Promise.resolve()).then(() => withTimeout(work(), limitMs, stuck));
    turn = mine.catch(() => undefined);
    return mine;
  };

  const keepPace = async (): Promise<void> => {
    while (!ends.aborted) {
      try {
        await delay(PACE_MS, undefined, { signal: ends });
        if (isHeld) continue;
        const ms = Math.ceil(Math.max(performance.now() - lastAt, -lead()));
        await inTurn(() => pass(ms), LIMIT_MS.stuckAtPace);
      } catch (error) {
        if (error instanceof PageStuckError) lose(error);
        // Else it is gone, and whoever waits for it is told by what it waits for; or it is going elsewhere, where time is to pass as well.
      }
    }
  };

  return {
    advance: async (ms) => {
      const isFirst = turn === undefined;
      const advanced = inTurn(() => advance(ms), LIMIT_MS.stuck);
      if (isFirst) void advanced.catch(() => undefined).then(keepPace);
      await advanced;
    },
    hold: async () => {
      isHeld = true;
      if (turn !== undefined) await raceAbort(turn, signal);
      return () => {
        isHeld = false;
      };
    },
    stop: () => {
      over.abort();
    },
  };
}

/**
 * Not `pauseIfNetworkFetchesPending`: once that has held a page, grants after it fall short, and frames take as long as the page's clock
 * is behind then (seconds, headless shell 153, 2026-11-22). What is in flight is waited for between two grants instead.
 */
function budgetOf(ms: number): Protocol.Emulation.SetVirtualTimePolicyRequest {
  return { policy: 'advance', budget: ms, maxVirtualTimeTaskStarvationCount: MAX_TASKS_AT_ONCE };
}

async function passIn(session: CDPSession, ms: number): Promise<void> {
  const used = new Promise<void>((resolve) => {
    session.once('Emulation.virtualTimeBudgetExpired', () => {
      resolve();
    });
  });
  await session.send('Emulation.setVirtualTimePolicy', budgetOf(ms));
  await used;
}

/** At most four times as many frames as before: few frames tell little of how long they take. */
function nextFrameMs(frameMs: number, share: number): number {
  const wanted = Math.round(frameMs * Math.max(1 / 4, share / REAL_SHARE));
  return Math.min(FRAME_MS.slowest, Math.max(FRAME_MS.fastest, wanted));
}
