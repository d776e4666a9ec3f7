import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Protocol } from 'puppeteer';
import { raceTimeout } from '../race.ts';
import { PageStuckError } from './browser-errors.ts';
import { STAMP_FRAMES } from './frame-stamps.ts';
import type { MainFrame } from './main-frame.ts';

/** How often page time is granted once it no longer flows by itself. A frame needs 16.7 ms of it to be painted. */
const PACE_MS = 12;
/** A script that waits in a loop for the time of day to change never ends while that stands still. */
const STUCK_MS = 3_000;
/** Tasks that may run without any time passing: timers of 0 ms and promises would keep the clock for ever. */
const MAX_TASKS_AT_ONCE = 1_000;
/** Frames of other sites are not waited for any longer: those that share a process take each other's grants away. */
const FRAME_LIMIT_MS = 100;

/**
 * The page's own time: timers, `Date`, `performance.now()`. It is that of the world until it is first advanced; from then on it
 * passes only as it is granted here, since Chrome knows no way back: as fast as the page can while somebody advances it, and at the
 * pace of the world otherwise, so that nothing that waits for the page has to know of it. It is never behind the world's: frames are
 * stamped by that, and one of the future is not drawn.
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
  /** Ends what keeps the clock going. */
  readonly stop: () => void;
}

interface ClockOptions {
  readonly session: CDPSession;
  /** Raced against `signal`. */
  readonly send: CDPSession['send'];
  readonly mainFrame: MainFrame;
  /** The sessions of frames in other processes. */
  readonly frames: () => readonly CDPSession[];
  readonly signal: AbortSignal;
}

export function createPageClock({ session, send, mainFrame, frames, signal }: ClockOptions): PageClock {
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  let stamped: unknown; // the document whose frames are stamped with its time
  let turn: Promise<unknown> | undefined;
  let startedAt: number | undefined;
  let granted = 0;
  let lastAt = 0; // when what was granted last was used up
  const lead = (): number => granted - (performance.now() - (startedAt ?? performance.now()));

  const stuck = (): PageStuckError => {
    // Else it would hold its renderer for ever, and with it the end of the page.
    session.send('Runtime.terminateExecution').catch(() => undefined);
    return new PageStuckError('the page does not answer while its clock stands still');
  };
  const unlessStuck = <T>(work: Promise<T>): Promise<T> => raceTimeout(work, STUCK_MS, stuck);
  const stampFrames = async (): Promise<void> => {
    const document = mainFrame.current();
    if (stamped === document) return;
    stamped = document;
    await unlessStuck(send('Runtime.evaluate', { expression: STAMP_FRAMES }));
  };
  const pass = async (ms: number): Promise<void> => {
    await stampFrames();
    startedAt ??= performance.now();
    const used = Promise.race([expiry(session), mainFrame.next()]);
    const inFrames = Promise.all(frames().map((frame) => passInFrame(frame, ms)));
    await unlessStuck(send('Emulation.setVirtualTimePolicy', budgetOf(ms)));
    await Promise.all([unlessStuck(used), inFrames]);
    granted += ms;
    lastAt = performance.now();
  };
  /** One grant at a time: the next would take the place of the one before. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const mine = (turn ?? Promise.resolve()).then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };

  const keepPace = async (): Promise<void> => {
    try {
      while (!ends.aborted) {
        await delay(PACE_MS, undefined, { signal: ends });
        await inTurn(() => pass(Math.ceil(Math.max(performance.now() - lastAt, -lead()))));
      }
    } catch {
      // The page is gone, or stuck: whoever waits for it is told by what it waits for.
    }
  };

  return {
    advance: async (ms) => {
      const isFirst = turn === undefined;
      const advanced = inTurn(() => pass(ms));
      if (isFirst) void advanced.then(keepPace, () => undefined);
      await advanced;
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

async function passInFrame(frame: CDPSession, ms: number): Promise<void> {
  const used = expiry(frame);
  const granted = frame.send('Emulation.setVirtualTimePolicy', budgetOf(ms)).then(() => used);
  const late = delay(FRAME_LIMIT_MS, undefined, { ref: false });
  await Promise.race([granted, late]).catch(() => undefined); // it is gone
}

function expiry(session: CDPSession): Promise<void> {
  return new Promise((resolve) => {
    session.once('Emulation.virtualTimeBudgetExpired', () => {
      resolve();
    });
  });
}
