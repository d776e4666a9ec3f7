import { callNative, type Native, wrap } from './wrap-native.ts';

/** State that the frames of one origin share. */
interface Timers {
  /** Page time in milliseconds at which the one-shot timers of the page are due, by their ids. */
  readonly due: Record<number, number>;
}

const view = window;
const { floor } = Math;
const now = performance.now.bind(performance);

/** Timers that are due sooner are not noted. */
const LEAST_MS = 1_000;
const MOST_TIMERS = 100;

/** Notes when one-shot timers are due: a page may show nothing until then. */
export function noteTimers({ due }: Timers): void {
  let left = MOST_TIMERS;
  wrap(view, 'setTimeout', (name, native) => {
    const wrapper = {
      [name](this: unknown, _callback: unknown): unknown {
        const delay: unknown = arguments[1]; // lists of the page may not be iterable
        const id = callNative(native, this, arguments, wrapper);
        if (typeof delay !== 'number' || !(delay >= LEAST_MS) || left === 0) return id;
        left--;
        due[Number(id)] = now() + floor(delay);
        return id;
      },
    }[name];
    return wrapper ?? native;
  });
  wrap(view, 'clearTimeout', (name, native: Native) => {
    const wrapper = {
      [name](this: unknown): unknown {
        const id: unknown = arguments[0];
        if (typeof id === 'number') delete due[id];
        return callNative(native, this, arguments, wrapper);
      },
    }[name];
    return wrapper ?? native;
  });
}
