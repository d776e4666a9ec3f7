import { type Native, wrap, wrapGetter } from '../../../core/browser/page/in-page/wrap-native.ts';

const { apply, get, getOwnPropertyDescriptor, ownKeys } = Reflect;
/** Getters of performance entries that tell when something happened, or how long it took. */
const NAMES_TIME = /(?:Start|End|Time|duration|domLoading|Interactive|Complete)$/;
const ENTRY_KINDS = [
  'PerformanceEntry',
  'PerformanceResourceTiming',
  'PerformanceNavigationTiming',
  'PerformanceEventTiming',
  'PerformancePaintTiming',
  'LargestContentfulPaint',
];
const MINUTE_MS = 60_000;

interface Clock {
  /** Milliseconds of the page's time. */
  readonly elapsed: () => number;
  readonly beginMs: number;
}

/** Gives the page's time to everything beside `Date` that tells time. */
export function steadyClockNames({ elapsed, beginMs }: Clock): void {
  const { Performance, PerformanceTiming, Event } = Object(globalThis);
  const openedMs = Date.parse(Date());
  wrap(Performance.prototype, 'now', (name, native) => ({ [name]: () => elapsed() })[name] ?? native);
  wrapGetter(Performance.prototype, 'timeOrigin', () => constant('timeOrigin', beginMs));
  wrapGetter(Event.prototype, 'timeStamp', () => ({
    get timeStamp() {
      return elapsed();
    },
  }));
  const { IntersectionObserverEntry } = Object(globalThis);
  if (IntersectionObserverEntry !== undefined)
    wrapGetter(IntersectionObserverEntry.prototype, 'time', () => ({
      get time() {
        return elapsed();
      },
    }));
  for (const kind of ENTRY_KINDS) setTimes(get(globalThis, kind), 0);
  setTimes(PerformanceTiming, beginMs);
  steadyTemporal(() => beginMs + elapsed());
  if (typeof Document !== 'undefined') steadyDocument(openedMs, beginMs);
}

function constant(name: string, value: unknown): object {
  return {
    get [name]() {
      return value;
    },
  };
}

function setTimes(kind: unknown, value: number): void {
  const prototype = typeof kind === 'function' ? kind.prototype : undefined;
  if (prototype === undefined) return;
  for (const name of ownKeys(prototype))
    if (typeof name === 'string' && NAMES_TIME.test(name)) wrapGetter(prototype, name, () => constant(name, value));
  wrap(prototype, 'toJSON', (toJson, native) => {
    const wrapper = {
      [toJson](this: unknown): unknown {
        const all = Object(apply(native, this, []));
        for (const name of Object.keys(all)) if (NAMES_TIME.test(name)) all[name] = value;
        return all;
      },
    }[toJson];
    return wrapper ?? native;
  });
}

function steadyTemporal(now: () => number): void {
  const temporal = Object(get(globalThis, 'Temporal'));
  const names = temporal.Now;
  if (names === undefined) return;
  const instant = (): { toZonedDateTimeISO: (zone: unknown) => Record<string, Native> } =>
    temporal.Instant.fromEpochMilliseconds(now());
  const inZone =
    (part?: string) =>
    (name: string, native: Native): object => {
      const wrapper = {
        [name](zone: unknown = names.timeZoneId()): unknown {
          const zoned = instant().toZonedDateTimeISO(zone);
          return part === undefined ? zoned : apply(zoned[part] ?? native, zoned, []);
        },
      }[name];
      return wrapper ?? native;
    };
  wrap(names, 'instant', (name, native) => ({ [name]: () => instant() })[name] ?? native);
  wrap(names, 'zonedDateTimeISO', inZone());
  wrap(names, 'plainDateTimeISO', inZone('toPlainDateTime'));
  wrap(names, 'plainDateISO', inZone('toPlainDate'));
  wrap(names, 'plainTimeISO', inZone('toPlainTime'));
}

/**
 * A document without a date of its own names the time of its load. Cookies that end after the beginning of the page's
 * time would have ended before they began: they last as long as the capture.
 */
function steadyDocument(openedMs: number, beginMs: number): void {
  wrapGetter(Document.prototype, 'lastModified', (native) => ({
    get lastModified(): unknown {
      const written = apply(native, this, []);
      const isNew = Math.abs(Date.parse(String(written)) - openedMs) < MINUTE_MS;
      return isNew ? '01/01/2025 12:00:00' : written;
    },
  }));
  const { CookieStore } = Object(globalThis);
  if (CookieStore !== undefined) wrap(CookieStore.prototype, 'set', cookieWrapper(beginMs));
  const cookie = getOwnPropertyDescriptor(Document.prototype, 'cookie');
  const setCookie: Native | undefined = cookie?.set;
  if (cookie === undefined || setCookie === undefined) return;
  Reflect.defineProperty(Document.prototype, 'cookie', {
    ...cookie,
    set(this: unknown, text: unknown) {
      const lasting = String(text).replace(/;\s*expires\s*=([^;]*)/i, (ending, date: string) =>
        Date.parse(date) > beginMs ? '' : ending,
      );
      apply(setCookie, this, [lasting]);
    },
  });
}

function cookieWrapper(beginMs: number) {
  return (name: string, native: Native): object => {
    const wrapper = {
      [name](this: unknown, cookie: unknown, ...rest: unknown[]): unknown {
        const expires = Number(Object(cookie).expires);
        const lasting = typeof cookie === 'object' && expires > beginMs ? { ...cookie, expires: null } : cookie;
        return apply(native, this, [lasting, ...rest]);
      },
    }[name];
    return wrapper ?? native;
  };
}
