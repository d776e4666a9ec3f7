import type { CDPSession, Protocol } from 'puppeteer-core';
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
const SCREENSHOT_FRAMES = 3; // that Page.captureScreenshot waits for (headless shell 153, 2026-11-21)

export type PictureRequest = NonNullable<Protocol.HeadlessExperimental.BeginFrameRequest['screenshot']>;

/** The frames of one page, between its capture's begin and its end. */
export interface PageFrames {
  /** The capture begins: until the page has loaded it has few frames. */
  readonly begin: () => void;
  /** The page has loaded: from now on as many as on a screen. Resolves after the first, in which it sees what is in view. */
  readonly loaded: () => Promise<void>;
  /** A screenshot is asked for: the frames that it waits for come one after the other. */
  readonly hurry: () => void;
  /** The next frame as a picture of the window, in base64; undefined when it gives none. Does not reject. */
  readonly picture: (request: PictureRequest) => Promise<string | undefined>;
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
  picture: () => Promise.resolve(undefined),
};

/**
 * A picture waits for frames, and at 60 Hz that is half of the time that a small page takes. Drawn by us they come when they are of
 * use. Those of different pages must not overlap (then no picture comes), so they take turns; a frame that does not come back holds
 * the others for its limit once, and its page is asked for no other until it does.
 */
export function createFrameClock(): FrameClock {
  const inTurn = createTurns(FRAME_LIMIT_MS);

  return {
    follow: (session, signal) => {
      const begun = Promise.withResolvers<void>();
      const seen = Promise.withResolvers<void>();
      let isLoaded = false;
      let hurried = 0; // frames that are to come without a rest
      let wanted: { readonly request: PictureRequest; readonly give: (data?: string) => void } | undefined;
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

      const hurry = (frames: number): void => {
        hurried = frames;
        wake?.();
      };

      const draw = async (): Promise<void> => {
        if (signal.aborted) return;
        const [hasLoaded, picture] = [isLoaded, wanted];
        wanted = undefined;
        hurried = Math.max(hurried - 1, 0);
        const startedAt = performance.now();
        try {
          const screenshot = picture && { screenshot: picture.request };
          const frame = await session.send('HeadlessExperimental.beginFrame', screenshot);
          picture?.give(frame.screenshotData);
        } catch {
          hurried = 0; // most likely the page is gone, which is told elsewhere
          picture?.give();
        }
        tookMs = performance.now() - startedAt;
        if (hasLoaded) seen.resolve();
      };

      const run = async (): Promise<void> => {
        await begun.promise;
        if (hurried === 0) await rest(FIRST_FRAME_MS);
        while (!signal.aborted) {
          await inTurn(draw);
          if (hurried === 0) await rest(restMs());
        }
        seen.resolve();
        wanted?.give();
      };

      void run();
      signal.addEventListener('abort', () => wake?.(), { once: true });
      return {
        begin: begun.resolve,
        loaded: () => {
          isLoaded = true;
          hurry(1);
          return seen.promise;
        },
        hurry: () => {
          hurry(SCREENSHOT_FRAMES);
        },
        picture: async (request) => {
          if (signal.aborted) return undefined;
          const { promise, resolve } = Promise.withResolvers<string | undefined>();
          wanted = { request, give: resolve };
          hurry(1);
          return await promise;
        },
      };
    },
  };
}
