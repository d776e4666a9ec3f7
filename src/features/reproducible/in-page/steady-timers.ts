import { callNative, type Native, wrap } from '../../../core/browser/page/in-page/wrap-native.ts';

interface Time {
  /** Milliseconds of the page's time. */
  readonly elapsed: () => number;
  /** Milliseconds since page time began to run ahead. Undefined before. */
  readonly passed: () => number | undefined;
}

/** A timer or frame callback of the page that waits until page time runs ahead. */
interface Deferred {
  readonly native: Native;
  readonly cancel: Native;
  /** False for a timer that runs again and again after its delay. */
  readonly isOnce: boolean;
  readonly args: readonly unknown[];
}

type Kind = 'setTimeout' | 'setInterval' | 'requestAnimationFrame';

const { apply, get } = Reflect;
const { max } = Math;
/** Timers that are shorter run at once: scripts divide their work with them. */
const SHORT_MS = 5;
const POLL_MS = 1;
/** Real time after which timers wait no more. */
const LONGEST_WAIT_MS = 5_000;
/** A delay that no page lives through. It reserves the number of a timer. */
const NEVER_MS = 2_147_483_647;
const LEAST_MS = 0.1; // between the timestamps of two frames
/** After the end, callbacks may still react to events, such as a new window size: so many after each other. */
const MOST_REACTIONS = 2;

const view = globalThis;
const setTimer: Native = get(view, 'setTimeout');
const readTicks = performance.now.bind(performance);
const ignore = (): void => undefined;

let time: Time = { elapsed: () => 0, passed: () => 0 };
let hasBegun = false;
let hasEnded = false;
let reactions = 0; // depth of the callback that runs after the end
const deferred = new Map<number, Deferred>();
const numbers = new Map<number, number>(); // of deferred callbacks, by the numbers that the page has

/**
 * Lets timers and frame callbacks begin at the moment in which page time begins to run ahead, and end with it: their
 * number then does not depend on how fast the page was loaded.
 */
export function steadyTimers(given: Time): { readonly end: () => void } {
  time = given;
  const cancelTimer: Native = get(view, 'clearTimeout');
  const cancelFrame: Native = get(view, 'cancelAnimationFrame');
  wrap(view, 'setTimeout', requestWrapper('setTimeout', cancelTimer));
  wrap(view, 'setInterval', requestWrapper('setInterval', cancelTimer));
  wrap(view, 'requestAnimationFrame', requestWrapper('requestAnimationFrame', cancelFrame));
  for (const name of ['clearTimeout', 'clearInterval', 'cancelAnimationFrame']) wrap(view, name, cancelWrapper);
  return {
    end: () => {
      hasEnded = true;
    },
  };
}

function requestWrapper(kind: Kind, cancel: Native) {
  return (name: string, native: Native): object => {
    const wrapper = {
      [name](this: unknown, callback: unknown, ...rest: unknown[]): unknown {
        if (typeof callback !== 'function') return callNative(native, this, arguments, wrapper);
        const run = kind === 'requestAnimationFrame' ? frameOf(callback) : taskOf(callback, kind);
        const isShort = kind === 'setTimeout' && !(Number(rest[0]) >= SHORT_MS);
        if (hasBegun || isShort || isRunning()) return callNative(native, this, [run, ...rest], wrapper);
        const reserved = Number(callNative(native, this, [ignore, NEVER_MS], wrapper));
        if (deferred.size === 0) apply(setTimer, view, [poll, POLL_MS]);
        deferred.set(reserved, { native, cancel, isOnce: kind !== 'setInterval', args: [run, ...rest] });
        return reserved;
      },
    }[name];
    return wrapper ?? native;
  };
}

function cancelWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, handle: unknown): unknown {
      const id = Number(handle) | 0;
      deferred.delete(id);
      return callNative(native, this, [numbers.get(id) ?? id], wrapper);
    },
  }[name];
  return wrapper ?? native;
}

/** True if page time runs ahead. The first call of which this is true begins what was deferred. */
function isRunning(): boolean {
  const ms = time.passed();
  if (ms === undefined && readTicks() < LONGEST_WAIT_MS) return false;
  if (!hasBegun) begin(ms ?? 0);
  return true;
}

function poll(): void {
  if (!isRunning()) apply(setTimer, view, [poll, POLL_MS]);
}

/** @param ms page time that has passed since it began */
function begin(ms: number): void {
  hasBegun = true;
  const all = [...deferred];
  deferred.clear();
  for (const [reserved, { native, cancel, isOnce, args }] of all) {
    const [run, delay, ...rest] = args;
    apply(cancel, view, [reserved]);
    const left = isOnce && typeof delay === 'number' ? max(0, delay - ms) : delay;
    numbers.set(reserved, Number(apply(native, view, [run, left, ...rest])));
  }
}

/** Returns the callback of a timer, which runs only if its time comes before the end, or it reacts to an event. */
function taskOf(callback: Function, kind: Kind): Function {
  const depth = hasEnded ? reactions + 1 : 0;
  return function (this: unknown, ...args: unknown[]): void {
    if (hasEnded && (kind === 'setInterval' || depth === 0 || depth > MOST_REACTIONS)) return;
    reacting(depth, () => apply(callback, this, args));
  };
}

let lastStamp = 0;
let lastGiven = -1; // the browser's timestamp of the current frame

/** The first frame after the end is drawn; a loop of frames ends with it. */
function frameOf(callback: Function): Function {
  const depth = hasEnded ? reactions + 1 : 1;
  return (given: number): void => {
    if (hasEnded && depth > MOST_REACTIONS) return;
    if (given !== lastGiven) lastStamp = hasEnded ? time.elapsed() : max(lastStamp + LEAST_MS, time.elapsed());
    lastGiven = given;
    reacting(hasEnded ? MOST_REACTIONS : 0, () => apply(callback, undefined, [lastStamp]));
  };
}

function reacting(depth: number, run: () => void): void {
  const before = reactions;
  reactions = depth;
  try {
    run();
  } finally {
    reactions = before;
  }
}
