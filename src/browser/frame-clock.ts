import type { CDPSession } from 'puppeteer-core';
import { createTurns } from './turns.ts';

/** What has headless shell leave the frames of its pages to us. */
export const FRAME_CLOCK_FLAGS = ['--enable-begin-frame-control', '--run-all-compositor-stages-before-draw'];

const FRAME_LIMIT_MS = 250; // of a page that runs without end: then the others go on
const FIRST_FRAME_MS = 250; // most pages have loaded by then, and a frame before that is work for nothing
const LOADING_REST_MS = 33;
const LOADED_REST_MS = 16;
const LONGEST_REST_MS = 1_000;
/** Of the time that the last frame took: a page with slow frames leaves most of the time to those of others. */
const REST_SHARE = 2;
/** With more of them, and the processors that they are for, turns would be what captures wait for. */
const MOST_PAGES = 4;
/** With one, half of the observers of a small page were heard too late (2026-11-21). */
const LOADED_FRAMES = 2;
const SCREENSHOT_FRAMES = 3; // that Page.captureScreenshot waits for (headless shell 153, 2026-11-21)

/** The frames of one page, between its capture's begin and its end. */
export interface PageFrames {
  /** The capture begins: until the page has loaded it has few frames. */
  readonly begin: () => void;
  /**
   * A document has loaded: from now on as many as on a screen. Resolves after the next two: in the first it sees what is in view, and
   * by the second it has acted on it. Also when they fail or the page is over: does not reject.
   */
  readonly loaded: () => Promise<void>;
  /** A screenshot is asked for: the frames that it waits for come one after the other. */
  readonly hurry: () => void;
}

/** Draws the frames of the pages of one browser. */
export interface FrameClock {
  /** Follows a page until `signal` fires. Without `begin` it has no frames, as befits one that waits for its capture. */
  readonly follow: (session: CDPSession, signal: AbortSignal) => PageFrames;
}

/** For a browser that draws frames by itself. */
export const OWN_FRAMES: PageFrames = {
  begin: () => undefined,
  loaded: () => Promise.resolve(),
  hurry: () => undefined,
};

/** Only headless shell can leave its frames to us, and not on macOS. @param pagesAtOnce whose frames would take turns */
export function takesFrameClock(isHeadlessShell: boolean, pagesAtOnce: number): boolean {
  return isHeadlessShell && process.platform !== 'darwin' && pagesAtOnce <= MOST_PAGES;
}

/**
 * A picture waits for frames, and at 60 Hz that is half of the time that a small page takes. Drawn by us they come when they are of
 * use. Those of different pages must not overlap (then no picture comes), so they take turns. A page that is busy is not asked for
 * one; a frame that does not come back all the same holds up the others for its limit, once.
 */
export function createFrameClock(): FrameClock {
  const inTurn = createTurns(FRAME_LIMIT_MS);

  return {
    follow: (session, signal) => {
      const begun = Promise.withResolvers<void>();
      let shown = Promise.withResolvers<void>();
      let isLoaded = false;
      let due = 0; // frames that are to come without a rest
      let isReady = false; // it has just answered, and they follow each other
      let tookMs = 0;
      let wake: (() => void) | undefined;

      const rest = (ms: number): Promise<void> =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });

      const restMs = (): number => {
        const least = isLoaded ? LOADED_REST_MS : LOADING_REST_MS;
        return Math.min(Math.max(least, tookMs * REST_SHARE), LONGEST_REST_MS);
      };

      const call = (count: number): void => {
        due = count;
        wake?.();
      };

      const draw = async (): Promise<void> => {
        if (signal.aborted) return;
        const { resolve } = shown;
        due = Math.max(due - 1, 0);
        isReady &&= due > 0;
        const startedAt = performance.now();
        await session.send('HeadlessExperimental.beginFrame').catch(ignore);
        tookMs = performance.now() - startedAt;
        if (due === 0) resolve();
      };

      const run = async (): Promise<void> => {
        await begun.promise;
        if (due === 0) await rest(FIRST_FRAME_MS);
        while (!signal.aborted) {
          if (!isReady) await session.send('Runtime.getIsolateId').catch(ignore); // answered once it is not busy
          await inTurn(draw);
          if (due === 0 && !signal.aborted) await rest(restMs());
        }
      };

      void run();
      signal.addEventListener(
        'abort',
        () => {
          wake?.();
          shown.resolve();
        },
        { once: true },
      );
      return {
        begin: begun.resolve,
        loaded: () => {
          isLoaded = true;
          shown = Promise.withResolvers();
          if (signal.aborted) shown.resolve();
          call(LOADED_FRAMES);
          return shown.promise;
        },
        hurry: () => {
          isReady = true;
          call(SCREENSHOT_FRAMES);
        },
      };
    },
  };
}

/** The page is gone, which is told elsewhere. */
function ignore(): void {}
