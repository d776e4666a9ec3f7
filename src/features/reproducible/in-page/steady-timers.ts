import { callNative, type Native, wrap } from '../../../core/browser/page/in-page/wrap-native.ts';
import { isReaction, reacting } from './reactions.ts';

interface Time {
  /** Milliseconds since page time began to run ahead. Undefined before. */
  readonly passed: () => number | undefined;
  /** Called when it has begun. */
  readonly onBegin: () => void;
}

/** A timer of the page that waits until page time runs ahead. */
interface Deferred {
  readonly native: Native;
  readonly isRepeated: boolean;
  readonly run: () => void;
  readonly delay: unknown;
}

const { apply, get } = Reflect;
const { max } = Math;
const toNumber = Number;
/** Timers that are shorter run at once: scripts divide their work with them. */
const SHORT_MS = 5;
const POLL_MS = 1;
/** Real time after which timers wait no more. */
const LONGEST_WAIT_MS = 5_000;
/** A delay that no page lives through. It reserves the number of a timer. */
const NEVER_MS = 2_147_483_647;

const view = globalThis;
const setTimer: Native = get(view, 'setTimeout');
const clearTimer: Native = get(view, 'clearTimeout');
const readTicks = performance.now.bind(performance);
const ignore = (): void => undefined;

let time: Time = { passed: () => 0, onBegin: ignore };
let hasBegun = false;
let isPolled = false;
let deferred: Record<number, Deferred> = Object.create(null); // records, because pages may change `Map`
const numbers: Record<number, number> = Object.create(null); // of deferred timers, by the numbers that the page has

/**
 * Lets timers begin at the moment in which page time begins to run ahead, and end with it: how often they run then does
 * not depend on how fast the page was loaded.
 */
export function steadyTimers(given: Time): void {
  time = given;
  wrap(view, 'setTimeout', requestWrapper(false));
  wrap(view, 'setInterval', requestWrapper(true));
  for (const name of ['clearTimeout', 'clearInterval']) wrap(view, name, cancelWrapper);
}

function requestWrapper(isRepeated: boolean) {
  return (name: string, native: Native): object => {
    const wrapper = {
      [name](this: unknown, callback: unknown, delay?: unknown, ...rest: unknown[]): unknown {
        const task = typeof callback === 'function' ? callback : () => apply(setTimer, view, [callback, 0]);
        const run = taskOf(task, isRepeated, rest);
        const isShort = !isRepeated && !(toNumber(delay) >= SHORT_MS);
        if (isShort || isRunning()) return callNative(native, this, [run, delay], wrapper);
        const reserved = toNumber(callNative(native, this, [ignore, NEVER_MS], wrapper));
        deferred[reserved] = { native, isRepeated, run, delay };
        awaitBegin();
        return reserved;
      },
    }[name];
    return wrapper ?? native;
  };
}

function cancelWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, handle: unknown): unknown {
      const id = toNumber(handle) | 0;
      delete deferred[id];
      return callNative(native, this, [numbers[id] ?? handle], wrapper);
    },
  }[name];
  return wrapper ?? native;
}

/** True if page time runs ahead. The first call of which this is true begins what was deferred. */
export function isRunning(): boolean {
  if (hasBegun) return true;
  const ms = time.passed();
  if (ms === undefined && readTicks() < LONGEST_WAIT_MS) return false;
  begin(ms ?? 0);
  return true;
}

/** Looks again and again whether page time runs ahead. */
export function awaitBegin(): void {
  if (isPolled) return;
  isPolled = true;
  poll();
}

function poll(): void {
  if (!isRunning()) apply(setTimer, view, [poll, POLL_MS]);
}

/** @param ms page time that has passed since it began */
function begin(ms: number): void {
  hasBegun = true;
  const all = deferred;
  deferred = Object.create(null);
  for (const reserved in all) {
    const timer = all[reserved];
    if (timer === undefined) continue;
    const { native, isRepeated, run, delay } = timer;
    apply(clearTimer, view, [toNumber(reserved)]);
    const first = (): void => {
      if (isRepeated) numbers[toNumber(reserved)] = toNumber(apply(native, view, [run, delay]));
      run();
    };
    const left = typeof delay === 'number' ? max(0, delay - ms) : delay;
    numbers[toNumber(reserved)] = toNumber(apply(setTimer, view, [first, left]));
  }
  time.onBegin();
}

/** Returns the task of a timer, which runs only if its time comes before the end, or it reacts to an event. */
function taskOf(callback: Function, isRepeated: boolean, args: readonly unknown[]): () => void {
  const mayRun = isReaction();
  return function (this: unknown): void {
    reacting(
      () => mayRun(isRepeated),
      () => apply(callback, this, args),
    );
  };
}
