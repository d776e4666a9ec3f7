import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import { raceAbort } from '../../ground/timeouts.ts';
import type { Evaluation } from './evaluate.ts';
import { stopTimers } from './in-page/stop-timers.ts';
import { passIn, passInSuccessor } from './grant-time.ts';
import type { MainFrame } from './main-frame.ts';
import type { PageFrames } from './page-frames.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

/**
 * Page time from one frame to the next. The fastest is a display of 120 Hz: 300 frames fit into the default of
 * `run_ahead`.
 */
const FRAME_MS = { first: 25, fastest: 8, slowest: 300, slowestAtPace: 10_000 };
/**
 * Maximum ratio of real time to page time. Above it, frames become less frequent, because a page may take 100 ms to
 * draw a frame.
 */
const REAL_SHARE = 0.5;
/** The same for a page whose number of frames should not depend on the load of the machine. */
const REAL_SHARE_STEADY = 0.66;

/** Page time of a grant that a frame needs. */
const LEAST_MS = 1;

export interface PassingOptions {
  readonly session: CDPSession;
  readonly mainFrame: MainFrame;
  readonly evaluate: Evaluation['evaluate'];
  readonly callbacks: PageFrames;
  /** Sessions of frames in other processes. */
  readonly frames: () => readonly CDPSession[];
  readonly signal: AbortSignal;
}

/** Grants page time to the page and its frames. Frame callbacks become rarer if the page is too slow for them. */
export function createPassing(options: PassingOptions) {
  const { session, mainFrame, evaluate, frames, signal } = options;
  const callbacks = createCallbackTimes(options);
  let frameMs = FRAME_MS.first;
  let frameAtPaceMs = frameMs;
  let startedAt: number | undefined;
  let granted = 0;
  let beginMs: number | undefined; // the date at the first grant, in Unix milliseconds; undefined: the real one
  let isSaving = false; // true to pass no time while it is ahead
  let firstDocument: unknown; // the document in which page time was first advanced
  let lastAt: number | undefined; // time when the last grant was used up; undefined while none was
  const hasHeavyFrames = (): boolean => frameAtPaceMs >= FRAME_MS.slowest;
  const lead = (): number => granted - (performance.now() - (startedAt ?? performance.now()));

  const passInFrame = async (frame: CDPSession, ms: number, every: number): Promise<void> => {
    await Promise.all([callbacks.setInFrame(frame, every), passIn(frame, ms, beginMs)]);
  };
  const pass = async (ms: number, every: number): Promise<void> => {
    await callbacks.set(every);
    startedAt ??= performance.now();
    firstDocument ??= mainFrame.current();
    const document = mainFrame.current();
    const isShown = (): boolean => mainFrame.current() === document;
    const own =
      document === firstDocument ? passIn(session, ms, beginMs) : passInSuccessor(session, ms, isShown, beginMs);
    const late = delay(LIMIT_MS.grantInFrame, undefined, { ref: false });
    // the frame was removed
    const inFrames = frames().map((frame) =>
      Promise.race([passInFrame(frame, ms, every), late]).catch(() => undefined),
    );
    // Chrome does not report the end of a grant for a replaced document.
    await raceAbort(Promise.race([Promise.all([own, ...inFrames]), mainFrame.next()]), signal);
    granted += ms;
    lastAt = performance.now();
  };

  return {
    beginAt: (ms: number, keepsPace: boolean): void => {
      beginMs = ms;
      isSaving = !keepsPace;
    },
    isSaving: (): boolean => isSaving,
    realDate: (): number => {
      if (beginMs === undefined) return Date.now();
      return beginMs + performance.now() - (startedAt ?? performance.now());
    },
    /** Passes page time as fast as possible. */
    advance: async (ms: number): Promise<void> => {
      const beforeMs = performance.now();
      await pass(ms, frameMs);
      const share = (performance.now() - beforeMs) / ms;
      frameMs = beginMs === undefined ? nextFrameMs(frameMs, share) : nextSteadyFrameMs(frameMs, share);
      frameAtPaceMs = frameMs;
    },
    /** Heavy frames become rarer, so that page time keeps up and the page can be drawn in between. */
    atPace: async (ms: number): Promise<void> => {
      const beforeMs = performance.now();
      await pass(ms, frameAtPaceMs);
      const share = (performance.now() - beforeMs) / Math.max(ms, frameAtPaceMs);
      const rarerMs = Math.round(frameAtPaceMs * Math.max(1, share / REAL_SHARE));
      frameAtPaceMs = Math.min(FRAME_MS.slowestAtPace, rarerMs);
    },
    /** Page time in milliseconds that has not passed since the last grant. `isAwaited` if a call waits for it. */
    missingMs: (isAwaited: boolean): number => {
      if (isSaving) return Math.ceil(Math.max(isAwaited ? LEAST_MS : 0, -lead()));
      // A page that was too slow for its first grant would otherwise get the whole time since the service started.
      const sinceLast = lastAt === undefined ? 0 : performance.now() - lastAt;
      return Math.ceil(Math.max(sinceLast, -lead()));
    },
    /** For a page whose timers follow from work that takes real time: its time would hardly pass, without a picture. */
    stopTimers: async (): Promise<void> => {
      await evaluate(stopTimers);
    },
    /** True if the frame callbacks of the page are so heavy that they are the rarest. */
    hasHeavyFrames,
    /** Almost stops the frame callbacks of a page for which they are too heavy. True if they are. */
    leavesFramesOut: (): boolean => {
      const isHeavy = hasHeavyFrames();
      if (isHeavy) frameAtPaceMs = FRAME_MS.slowestAtPace;
      return isHeavy;
    },
  };
}

/**
 * Sets the time between two frames for the callbacks of the page: once for each document and frame, and again when it
 * changes.
 */
function createCallbackTimes({ mainFrame, callbacks }: PassingOptions) {
  let setDocument: unknown;
  let setMs = 0; // frame time in this document
  const setFrames = new WeakMap<CDPSession, number>();

  return {
    set: async (frameMs: number): Promise<void> => {
      const document = mainFrame.current();
      if (setDocument === document && setMs === frameMs) return;
      setDocument = document;
      setMs = frameMs;
      await callbacks.begin(frameMs);
    },
    setInFrame: async (frame: CDPSession, frameMs: number): Promise<void> => {
      if (setFrames.get(frame) === frameMs) return;
      setFrames.set(frame, frameMs);
      await callbacks.beginIn(frame, frameMs);
    },
  };
}

/**
 * Returns the next frame time: at most four times as many frames as before, because a measurement of few frames is
 * imprecise.
 */
function nextFrameMs(frameMs: number, share: number): number {
  const proposed = Math.round(frameMs * Math.max(1 / 4, share / REAL_SHARE));
  return Math.min(FRAME_MS.slowest, Math.max(FRAME_MS.fastest, proposed));
}

/** Like `nextFrameMs`, with the first frame time as long as the page is fast enough. */
function nextSteadyFrameMs(frameMs: number, share: number): number {
  const proposed = Math.round(frameMs * Math.max(1 / 4, share / REAL_SHARE_STEADY));
  return Math.min(FRAME_MS.slowest, Math.max(FRAME_MS.first, proposed));
}
