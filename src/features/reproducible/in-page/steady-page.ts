import {
  type Native,
  rememberNatives,
  textWrapper,
  wrap,
  wrapGetter,
} from '../../../core/browser/page/in-page/wrap-native.ts';
import { steadyClockNames } from './steady-clock-names.ts';
import { steadyRandom } from './steady-random.ts';
import { beginFrames, steadyFrames } from './steady-frames.ts';
import { endReactions } from './reactions.ts';
import { steadyTimers } from './steady-timers.ts';

const { apply, construct, defineProperty, get } = Reflect;
const { floor } = Math;
/** A reading of the page's clock that is farther from its beginning is real time. */
const LONGEST_MS = 86_400_000;
/**
 * Calls within one task that get the same time. A script that waits in a loop makes more: time passes for it, until the
 * task ends.
 */
const PATIENCE = 100_000;
/** The clock is read in steps: timers run some milliseconds sooner or later. */
const STEP_MS = 10;

const view = globalThis;
const { performance } = view;
const NativeDate = Date;
const readClock = NativeDate.now;
const readTicks = performance.now.bind(performance);
const settled = Promise.resolve(); // workers have no `queueMicrotask` yet
const then: Native = get(settled, 'then');

let beginMs = 0; // when the time of the page begins, in Unix milliseconds
let runsAhead = true; // if so, the time stands still until then
let calls = 0; // within this task
let skewMs = 0; // time that has passed in a loop of this task
let endMs: number | undefined; // the time that the result shows

/**
 * Gives a page the same time and the same random numbers each time that it is loaded. Its time stands still until it
 * runs ahead, and ends at a whole second: `channel` is the event that ends it. Runs in each document and worker before
 * the scripts of the page.
 */
export function steadyPage(atMs: number, mayRunAhead: boolean, channel: string): void {
  beginMs = atMs;
  runsAhead = mayRunAhead;
  rememberNatives(new WeakMap());
  steadyClockNames({ elapsed, beginMs });
  wrapDates();
  steadyRandom();
  if (typeof Document !== 'undefined') {
    const inTime = mayRunAhead ? passed : () => 0;
    steadyTimers({ passed: inTime, onBegin: beginFrames });
    steadyFrames({ elapsed, passed: inTime });
  }
  performance.addEventListener(channel, (event) => {
    endMs ??= Number(get(event, 'detail'));
    endReactions();
  });
  wrap(Function.prototype, 'toString', textWrapper);
}

/** A file without a time of its own has that of its making. */
function constructFile(target: Function, args: readonly unknown[], newTarget: Function): object {
  return construct(target, [args[0], args[1], { lastModified: now(), ...Object(args[2]) }], newTarget);
}

/** Milliseconds since page time began to run ahead. Undefined before. */
function passed(): number | undefined {
  const ms = readClock() - beginMs;
  return ms >= 0 && ms < LONGEST_MS ? ms : undefined;
}

/** Milliseconds of the page's time. It passes in a loop that waits for it, too. */
function elapsed(): number {
  calls++;
  if (calls === 1) apply(then, settled, [endTask]);
  if (calls > PATIENCE) skewMs++;
  const ms = endMs ?? passed() ?? (runsAhead ? 0 : readTicks());
  return floor(ms / STEP_MS) * STEP_MS + skewMs;
}

function endTask(): void {
  calls = 0;
  skewMs = 0;
}

const now = (): number => beginMs + elapsed();

const formats = new WeakMap<object, object>(); // ours, by those of the browser

function wrapDates(): void {
  const steady: DateConstructor = new Proxy(NativeDate, {
    apply: () => new NativeDate(now()).toString(),
    construct: (target, args, newTarget) =>
      construct(target, args.length === 0 ? [now()] : args, newTarget === steady ? target : newTarget),
  });
  wrap(NativeDate, 'now', (name, native) => ({ [name]: () => now() })[name] ?? native);
  wrap(view, 'File', (_name, native) => new Proxy(native, { construct: constructFile }));
  defineProperty(NativeDate.prototype, 'constructor', { value: steady, writable: true, configurable: true });
  wrap(view, 'Date', () => steady);
  wrapGetter(Intl.DateTimeFormat.prototype, 'format', (native) => ({
    get format() {
      const format = Object(apply(native, this, []));
      const known = formats.get(format);
      if (known !== undefined) return known;
      const steady = (date?: unknown): unknown => apply(format, undefined, [date === undefined ? now() : date]);
      formats.set(format, steady);
      return steady;
    },
  }));
  wrap(Intl.DateTimeFormat.prototype, 'formatToParts', (name, native) => {
    const wrapper = {
      [name](this: unknown, date?: unknown): unknown {
        return apply(native, this, [date === undefined ? now() : date]);
      },
    }[name];
    return wrapper ?? native;
  });
}
