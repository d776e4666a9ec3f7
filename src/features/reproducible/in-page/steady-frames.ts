import { callNative, type Native, wrap } from '../../../core/browser/page/in-page/wrap-native.ts';
import { hasTimeEnded, isReaction, reacting } from './reactions.ts';
import { awaitBegin, isRunning } from './steady-timers.ts';

interface Time {
  /** Milliseconds of the page's time. */
  readonly elapsed: () => number;
  /** Milliseconds since page time began to run ahead. Undefined before. */
  readonly passed: () => number | undefined;
}

interface Frame {
  readonly callback: Function;
  readonly mayRun: (isRepeated: boolean) => boolean;
}

const { apply, get } = Reflect;
const { floor, max } = Math;
const toNumber = Number;
/** Page time from one frame to the next. */
const FRAME_MS = 25;
const LEAST_MS = 0.1; // between the timestamps of two frames

const view = globalThis;
const setTimer: Native = get(view, 'setTimeout');
const enqueue: Native = get(view, 'queueMicrotask');

let time: Time = { elapsed: () => 0, passed: () => 0 };
let frames: Record<number, Frame> = Object.create(null); // callbacks of the next frame, by their numbers
let drawn: Record<number, Frame> = frames; // callbacks of the frame that is drawn
let isRequested = false;
let isPlanned = false;
let isAwaited = false; // true until the browser has had a frame, too: heavy frames are rarer
let lastStamp = 0;
let framesAfterEnd = 0;

/**
 * Runs frame callbacks at multiples of a fixed time since page time began to run ahead. Each has a number of the
 * browser, which sees that the page requests frames.
 */
export function steadyFrames(given: Time): void {
  time = given;
  for (const name of ['requestAnimationFrame', 'webkitRequestAnimationFrame']) wrap(view, name, requestWrapper);
  for (const name of ['cancelAnimationFrame', 'webkitCancelAnimationFrame']) wrap(view, name, cancelWrapper);
}

/** Plans the frame that was requested before page time ran ahead. */
export function beginFrames(): void {
  if (isRequested) plan();
}

function requestWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, callback: unknown): unknown {
      if (typeof callback !== 'function') return callNative(native, this, arguments, wrapper);
      const id = toNumber(callNative(native, this, [comes], wrapper));
      isAwaited = true;
      frames[id] = { callback, mayRun: isReaction() };
      isRequested = true;
      if (isRunning()) plan();
      else awaitBegin();
      return id;
    },
  }[name];
  return wrapper ?? native;
}

function comes(): void {
  isAwaited = false;
}

function cancelWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, handle: unknown): unknown {
      const id = toNumber(handle) | 0;
      delete frames[id];
      delete drawn[id];
      return callNative(native, this, [handle], wrapper);
    },
  }[name];
  return wrapper ?? native;
}

function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  const ms = time.passed() ?? 0;
  apply(setTimer, view, [runFrame, (floor(ms / FRAME_MS) + 1) * FRAME_MS - ms]);
}

function runFrame(): void {
  isPlanned = false;
  if (isAwaited && !hasTimeEnded()) {
    plan();
    return;
  }
  drawn = frames;
  const all = drawn;
  frames = Object.create(null);
  isRequested = false;
  if (hasTimeEnded()) framesAfterEnd++;
  // Only the first frame after the end is drawn, so that a loop of frames ends with it.
  const isLast = framesAfterEnd === 1;
  lastStamp = hasTimeEnded() ? time.elapsed() : max(lastStamp + LEAST_MS, time.elapsed());
  const stamp = lastStamp;
  for (const id in all) {
    const frame = all[id];
    if (frame === undefined) continue;
    const { callback, mayRun } = frame;
    const run = (): void =>
      reacting(
        () => all[id] !== undefined && (isLast || mayRun(false)),
        () => apply(callback, undefined, [stamp]),
      );
    apply(enqueue, view, [run]);
  }
}
