import { hash } from 'node:crypto';
import { Cron } from 'croner';

const UNITS_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const EVERY = /^every ([1-9]\d{0,6}) (second|minute|hour|day)s?$/;
const FIVE_FIELDS = /^[\w*,/#-]+(?: +[\w*,/#-]+){4}$/;
const LONGEST_MS = 366 * UNITS_MS.day;
/** Starts whose distances are compared with `WATCH_MIN_INTERVAL`: a week of hours. */
const CHECKED_STARTS = 168;
/** Part of the distance between two starts, and longest time, by which a run may begin later than its schedule. */
const SPREAD = { share: 0.1, longestMs: 60_000 };

export const SCHEDULE_FORM =
  'must be five fields of cron, such as 0 9 * * 1-5, or every N seconds, minutes, hours or days, such as every 10 minutes';

/** When the runs of a watch begin. Times are Unix milliseconds. */
export interface Schedule {
  /** Returns the first start after this time. Undefined: there is none. */
  readonly after: (ms: number) => number | undefined;
}

export interface ScheduleFields {
  readonly schedule: string;
  /** IANA name. */
  readonly timezone: string;
  /** Unix milliseconds from which `every` counts. */
  readonly anchorMs: number;
}

/**
 * Parses a schedule. Cron follows the clock of the time zone: a start within an hour that summer time leaves out is at
 * its end, and a daily start within the hour that comes twice is in the first one. `every` counts elapsed time.
 * @throws Error that says what is wrong
 */
export function parseSchedule({ schedule: text, timezone, anchorMs }: ScheduleFields): Schedule {
  const [, count = '', unit = ''] = EVERY.exec(text) ?? [];
  if (isUnit(unit)) {
    const everyMs = Number(count) * UNITS_MS[unit];
    if (everyMs > LONGEST_MS) throw new Error('must start at least once in 366 days');
    return { after: (ms) => anchorMs + (Math.floor((ms - anchorMs) / everyMs) + 1) * everyMs };
  }
  const cron = readCron(text, timezone);
  return { after: (ms) => cron.nextRun(new Date(ms))?.getTime() };
}

function isUnit(text: string): text is keyof typeof UNITS_MS {
  return Object.hasOwn(UNITS_MS, text);
}

function readCron(text: string, timezone: string): Cron {
  try {
    if (!FIVE_FIELDS.test(text)) throw new Error('other fields'); // the library takes dates and names, too
    return new Cron(text, { timezone, mode: '5-part', paused: true });
  } catch {
    throw new Error(SCHEDULE_FORM);
  }
}

/**
 * Checks the starts that follow `fromMs`.
 * @throws Error that says what is wrong
 */
export function checkSchedule(schedule: Schedule, fromMs: number, leastMs: number): void {
  let at = schedule.after(fromMs);
  if (at === undefined) throw new Error('never starts: there is no such date');
  for (let count = 0; count < CHECKED_STARTS; count++) {
    const next: number | undefined = schedule.after(at);
    if (next === undefined) return;
    if (next - at < leastMs)
      throw new Error(`starts twice within ${next - at} ms, and WATCH_MIN_INTERVAL is ${leastMs} ms`);
    at = next;
  }
}

/** Returns the milliseconds by which a watch begins later than its schedule, so that not all begin at once. */
export function spreadOf(id: string, distanceMs: number): number {
  const most = Math.min(distanceMs * SPREAD.share, SPREAD.longestMs);
  return Math.floor((Number.parseInt(hash('sha1', id, 'hex').slice(0, 8), 16) / 2 ** 32) * most);
}
