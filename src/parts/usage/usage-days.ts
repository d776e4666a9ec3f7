/** Counters of one key on one UTC day, in the order of the answer of `GET /usage`. */
export const COUNTERS = ['captures', 'cached', 'failed', 'jobs', 'bytes'] as const;
export type Counters = Readonly<Record<(typeof COUNTERS)[number], number>>;

/** The counters of one UTC day, `2026-11-23`. */
export interface DayUsage extends Counters {
  readonly date: string;
}

/** The time for which a quota counts: the UTC day `2026-11-23`, or the UTC month `2026-11`. */
export interface Period {
  readonly name: string;
  readonly endsAtMs: number;
}

/** Days that usage is kept, today included. */
export const KEPT_DAYS = 400;
const DAY_MS = 24 * 3_600_000;

/** Returns the UTC day of a time in Unix milliseconds. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Returns the UTC month of a day. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** Returns the oldest day that is kept at this time. */
export function oldestDay(nowMs: number): string {
  return dayOf(nowMs - (KEPT_DAYS - 1) * DAY_MS);
}

/** Returns the period of a quota that contains this time. */
export function periodOf(per: 'day' | 'month', nowMs: number): Period {
  const today = dayOf(nowMs);
  if (per === 'day') return { name: today, endsAtMs: Date.parse(today) + DAY_MS };
  const now = new Date(nowMs);
  return { name: monthOf(today), endsAtMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) };
}

/** True for an existing day such as `2026-11-23`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && dayOf(ms) === text; // Date accepts 30 February
}

/** Returns the number of days from one day to another, both included. */
export function countDays(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}
