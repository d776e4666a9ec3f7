import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';
import { raceTimeout } from '../race.ts';
import { PageStuckError } from './browser-errors.ts';
import { STAMP_FRAMES } from './frame-stamps.ts';

/** How often page time is granted once it no longer flows by itself. A frame needs 16.7 ms of it to be painted. */
const PACE_MS = 12;
/** A script that waits in a loop for the time of day to change never ends while that stands still. */
const STUCK_MS = 2_000;
/** Tasks that may run without any time passing: timers of 0 ms and promises would keep the clock for ever. */
const MAX_TASKS_AT_ONCE = 1_000;

/**
 * The page's own time: timers, `Date`, `performance.now()`. It is that of the world until it is first advanced; from then on it
 * passes only as it is granted here, since Chrome knows no way back: as fast as the page can while somebody advances it, and at the
 * pace of the world otherwise, so that nothing that waits for the page has to know of it.
 *
 * Time stamps of frames, CSS animations, workers and frames of other sites stay with the time of the world.
 */
export interface PageClock {
  /**
   * Lets the page live for so many milliseconds of its time, as fast as it can. Time stands still while the page's requests are in
   * flight; `stalled` settles when they are no longer worth waiting for, after which they hold nothing up.
   * @throws PageStuckError when a script waits for a time that does not come.
   */
  readonly advance: (ms: number, stalled: Promise<unknown>) => Promise<void>;
  /** Milliseconds by which the page's clock is ahead of the world's. */
  readonly lead: () => number;
  /** Ends what keeps the clock going. */
  readonly stop: () => void;
}

interface ClockOptions {
  readonly session: CDPSession;
  readonly send: CDPSession['send'];
  readonly signal: AbortSignal;
}

export function createPageClock({ session, send, signal }: ClockOptions): PageClock {
  let startedAt: number | undefined; // by the clock of the world
  let granted = 0;
  let lastAt = 0; // when the last of it was used up
  let turn: Promise<unknown> = Promise.resolve();

  const grant = async (ms: number, policy: 'advance' | 'pauseIfNetworkFetchesPending'): Promise<void> => {
    const set = send('Emulation.setVirtualTimePolicy', {
      policy,
      budget: ms,
      maxVirtualTimeTaskStarvationCount: MAX_TASKS_AT_ONCE,
    });
    await raceTimeout(set, STUCK_MS, stuck);
  };
  const stuck = (): PageStuckError => {
    // Else it would hold its renderer for ever, and with it the end of the page.
    session.send('Runtime.terminateExecution').catch(() => undefined);
    return new PageStuckError('the page does not answer while its clock stands still');
  };
  const nextExpiry = (): Promise<void> =>
    new Promise((resolve) => {
      session.once('Emulation.virtualTimeBudgetExpired', () => {
        resolve();
      });
    });

  const advance = async (ms: number, stalled: Promise<unknown> | undefined): Promise<void> => {
    const isFirst = startedAt === undefined;
    if (isFirst) await send('Runtime.evaluate', { expression: STAMP_FRAMES });
    startedAt ??= performance.now();
    granted += ms;
    const expired = nextExpiry();
    await grant(ms, stalled === undefined ? 'advance' : 'pauseIfNetworkFetchesPending');
    if (isFirst) void keepPace();
    if (stalled !== undefined) {
      const isOver = await Promise.race([expired.then(() => true), stalled.then(() => false)]);
      if (!isOver) await grant(ms, 'advance');
    }
    await raceTimeout(expired, STUCK_MS, stuck);
    lastAt = performance.now();
  };
  /** One grant at a time: the next would take the place of the one before. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };

  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  const keepPace = async (): Promise<void> => {
    try {
      while (!ends.aborted) {
        await delay(PACE_MS, undefined, { signal: ends });
        await inTurn(() => advance(Math.max(1, Math.round(performance.now() - lastAt)), undefined));
      }
    } catch {
      // The page is gone, or stuck: whoever waits for it is told by what it waits for.
    }
  };

  return {
    advance: (ms, stalled) => inTurn(() => advance(ms, stalled)),
    lead: () => (startedAt === undefined ? 0 : granted - (performance.now() - startedAt)),
    stop: () => {
      over.abort();
    },
  };
}
