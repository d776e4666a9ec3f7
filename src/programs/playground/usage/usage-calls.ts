import type { CaptureError } from '../../client/capture-error.ts';
import { type Caller, get } from '../send.ts';

/** Counters of one UTC day. */
export interface Day {
  readonly date: string;
  readonly captures: number;
  readonly cached: number;
  readonly failed: number;
  readonly jobs: number;
  readonly bytes: number;
}

/** The answer of `GET /usage`. */
export interface Usage {
  readonly key: string;
  readonly days: readonly Day[];
  readonly quota: { readonly limit: number; readonly used: number; readonly resets_at: string } | null;
}

/** Returns the usage of a month, `2026-11`. Without `key`: of the key of the token. */
export async function readUsage(
  { month, key }: { readonly month: string; readonly key: string | undefined },
  caller: Caller,
): Promise<Usage | CaptureError> {
  const days = daysOf(month);
  const query = new URLSearchParams({
    from: days[0] ?? '',
    to: days.at(-1) ?? '',
    ...(key !== undefined && { key }),
  });
  return await get(`usage?${query}`, caller);
}

/** Returns all days of a month. */
export function daysOf(month: string): string[] {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from({ length: count }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`);
}

/** Returns the month that is this many months later. */
export function monthAfter(month: string, by: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7);
}
