import { hideBlankEntry } from './blank-entry.ts';
import { finishDrawings, followDrawings } from './drawings.ts';
import { noteTimers } from './late-timers.ts';
import { countWork } from './pending-work.ts';
import { callNative, type Native, rememberNatives, textWrapper, wrap } from './wrap-native.ts';

/** State that the frames of one origin share. */
interface Shared {
  /** Page time from one frame to the next; 0 until page time runs ahead. */
  frameMs: number;
  /** What the scripts observe: see `Observed` in `page-frames.ts`. */
  readonly observes: { layout: boolean; view: boolean; parts: boolean };
  /** True to make WebGL canvases keep their drawing. */
  keepsDrawings: boolean;
  /** Pieces of work that have not ended: see `pending-work.ts`. */
  work: number;
  begun: number;
  /** Page time at which one-shot timers are due: see `late-timers.ts`. */
  readonly due: Record<number, number>;
  /** The native function of each wrapper. */
  readonly natives: WeakMap<object, object>;
}

/** A frame callback that has not run. */
interface Pending {
  readonly callback: FrameRequestCallback;
  /** Number of the frame in which the callback was requested. */
  readonly requestedIn: number;
  /** The page timer that runs the callback. Undefined if the next frame of Chrome runs it. */
  timer?: number;
  /** Page time of the callback's frame. 0 without a timer. */
  at: number;
}

const BEHIND_MS = 50; // a frame with an older timestamp shows that page time runs ahead
const CHROME_FRAME_MS = 16;
const LEAST_MS = 0.1; // between the timestamps of two frames

const view = window;
const { performance, CustomEvent } = view;
const { apply, get, getOwnPropertyDescriptor, set } = Reflect;
const { ceil, floor, max } = Math;
const now = performance.now.bind(performance);
const setTimer = view.setTimeout.bind(view);
const clearTimer = view.clearTimeout.bind(view);
const enqueue: Native = get(view, 'queueMicrotask');
const bind: Native = get(Function.prototype, 'bind');
const dispatchEvent: Native = get(performance, 'dispatchEvent');
const dispatch = (to: Window, event: Event): unknown => apply(dispatchEvent, to.performance, [event]);

let shared: Shared = {
  frameMs: 0,
  observes: { layout: false, view: false, parts: false },
  keepsDrawings: false,
  work: 0,
  begun: 0,
  due: Object.create(null),
  natives: new WeakMap(),
};

const pending: Record<number, Pending> = Object.create(null);
let lastAt = 0; // page time of the last frame that a timer ran
let lastStamp = 0; // timestamp of the current frame
let frame = 0; // number of the current frame
let chromeAt = 0; // Chrome's timestamp of its last frame
let isBehind = false; // detected by timestamps, because this frame gets no event

/**
 * Wraps `requestAnimationFrame` and `cancelAnimationFrame`. Until page time runs ahead, the wrappers only forward. From
 * then on page timers run the callbacks at the rate of a fast display, also between two frames of Chrome: a page that
 * counts its frames gets them all. Their timestamps are page time; those of Chrome are real time. Also records whether
 * the page observes its layout, and which WebGL contexts it has.
 *
 * Runs in each document before the scripts of the page, and looks like the native functions to them. It takes all
 * native functions that it needs beforehand, as pages replace them.
 */
export function framesInPageTime(channel: string): void {
  const outer = sharedByParent(channel);
  shared = outer ?? shared;
  rememberNatives(shared.natives);
  performance.addEventListener(channel, (event) => {
    const detail: unknown = 'detail' in event ? event.detail : undefined;
    if (typeof detail === 'number') begin(detail, channel);
    else if (detail === 'keepDrawings') shared.keepsDrawings = true;
    else set(Object(detail), 'shared', shared); // an inner frame requests the shared state
  });
  countWork(shared);
  if (outer === undefined) noteTimers(shared);
  wrap(view, 'requestAnimationFrame', requestWrapper);
  wrap(view, 'webkitRequestAnimationFrame', requestWrapper);
  wrap(view, 'cancelAnimationFrame', cancelWrapper);
  wrap(view, 'webkitCancelAnimationFrame', cancelWrapper);
  wrap(view.ResizeObserver.prototype, 'observe', recording('layout'));
  wrap(view.IntersectionObserver.prototype, 'observe', intersectionWrapper);
  wrap(view, 'matchMedia', recording('layout'));
  // An interval that creates no objects does not change the heap size, which shows all other scripts.
  wrap(view, 'setInterval', recording('view'));
  followDrawings(shared);
  hideBlankEntry();
  wrap(Function.prototype, 'toString', textWrapper);
}

/** Undefined if all parent frames are of another origin. */
function sharedByParent(channel: string): Shared | undefined {
  const answer: { shared?: Shared } = {};
  for (const outer of [view.parent, view.top]) {
    try {
      if (outer !== null && outer !== view) dispatch(outer, new CustomEvent(channel, { detail: answer }));
    } catch {
      // The parent frame is of another origin.
    }
  }
  return answer.shared;
}

// Wrappers are methods: like native functions, they have no prototype, and `new` refuses them.
function requestWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, callback: FrameRequestCallback): unknown {
      if (typeof callback !== 'function' || !isOwnView(this)) return callNative(native, this, arguments, wrapper);
      const entry: Pending = { callback, requestedIn: frame, at: 0 };
      const id = Number(apply(native, view, [(time: number) => runInChromeFrame(id, time)]));
      pending[id] = entry;
      runByTimer(id, entry);
      return id;
    },
  }[name];
  return wrapper ?? native;
}

/** Makes wrappers that record what the script observes. */
function recording(what: 'layout' | 'view') {
  return (name: string, native: Native): object => {
    const wrapper = {
      [name](this: unknown, _observed: unknown): unknown {
        shared.observes[what] = true;
        return callNative(native, this, arguments, wrapper);
      },
    }[name];
    return wrapper ?? native;
  };
}

const thresholdsOf: Native | undefined = getOwnPropertyDescriptor(IntersectionObserver.prototype, 'thresholds')?.get;
const marginOf: Native | undefined = getOwnPropertyDescriptor(IntersectionObserver.prototype, 'rootMargin')?.get;
const LEAST_PART = 0.5;

function intersectionWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, _observed: unknown): unknown {
      const observing = callNative(native, this, arguments, wrapper); // refuses other objects
      shared.observes.layout = true;
      shared.observes.view = true;
      if (thresholdsOf === undefined || marginOf === undefined || shared.observes.parts) return observing;
      const thresholds = Object(apply(thresholdsOf, this, []));
      const margin = String(apply(marginOf, this, []));
      for (let k = 0; k < thresholds.length; k++) if (thresholds[k] >= LEAST_PART) shared.observes.parts = true;
      for (let k = 0; k < margin.length; k++) if (margin[k] === '-') shared.observes.parts = true;
      return observing;
    },
  }[name];
  return wrapper ?? native;
}

function cancelWrapper(name: string, native: Native): object {
  const wrapper = {
    [name](this: unknown, handle: number): unknown {
      const cancelled = callNative(native, this, arguments, wrapper);
      if (!isOwnView(this)) return cancelled;
      const id = handle | 0; // converted like WebIDL does
      clearTimer(pending[id]?.timer);
      delete pending[id];
      return cancelled;
    },
  }[name];
  return wrapper ?? native;
}

function isOwnView(receiver: unknown): boolean {
  return receiver === undefined || receiver === null || receiver === view;
}

function frameLength(): number {
  return isBehind && shared.frameMs === 0 ? CHROME_FRAME_MS : shared.frameMs;
}

function begin(frameMs: number, channel: string): void {
  shared.frameMs = frameMs;
  for (const id in pending) {
    const entry = pending[id];
    if (entry !== undefined && entry.timer === undefined) runByTimer(Number(id), entry);
  }
  for (let k = 0; k < view.length; k++) {
    try {
      const inner = view[k];
      if (inner === undefined) return; // a page may set `length`
      dispatch(inner, new CustomEvent(channel, { detail: frameMs }));
    } catch {
      // The frame is of another origin.
    }
  }
}

function runByTimer(id: number, entry: Pending): void {
  const length = frameLength();
  if (length === 0) return;
  const time = now();
  entry.at = max((floor(time / length) + 1) * length, lastAt + length);
  entry.timer = setTimer(runInTimer, ceil(entry.at - time), id);
}

function runInTimer(id: number): void {
  const entry = pending[id];
  if (entry === undefined) return;
  lastAt = entry.at;
  enterFrame(entry, entry.at);
  run(id, entry);
  apply(enqueue, view, [finishDrawings]);
}

function runInChromeFrame(id: number, time: number): void {
  if (time !== chromeAt) {
    chromeAt = time;
    isBehind = now() - time > BEHIND_MS;
  }
  const entry = pending[id];
  if (entry === undefined || entry.timer !== undefined) return; // it was cancelled, or a page timer runs it
  enterFrame(entry, time);
  run(id, entry);
}

/**
 * Begins a new frame if the callback was requested in the current one. Callbacks that were requested in the same
 * frame get the same timestamp, whether a page timer or Chrome runs them. Each frame has a later timestamp than the
 * last, because pages divide by the difference.
 */
function enterFrame({ requestedIn }: Pending, time: number): void {
  if (requestedIn !== frame) return;
  frame++;
  lastStamp = max(lastStamp + LEAST_MS, time);
}

/** Runs as a microtask, so that errors are reported and microtasks run as after a callback of Chrome. */
function run(id: number, { callback }: Pending): void {
  delete pending[id];
  apply(enqueue, view, [apply(bind, callback, [undefined, lastStamp])]);
}
