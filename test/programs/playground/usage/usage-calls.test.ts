import { describe, expect, it } from 'vitest';
import { daysOf, monthAfter } from '../../../../src/programs/playground/usage/usage-calls.ts';

describe('months of usage', () => {
  it.each([
    ['2026-11', 30],
    ['2026-12', 31],
    ['2028-02', 29],
  ])('%s has %d days', (month, count) => {
    const days = daysOf(month);

    expect(days).toHaveLength(count);
    expect([days[0], days.at(-1)]).toEqual([`${month}-01`, `${month}-${count}`]);
  });

  it.each([
    ['2026-11', -1, '2026-10'],
    ['2026-01', -1, '2025-12'],
    ['2026-12', 1, '2027-01'],
  ])('moves from %s by %d to %s', (month, by, expected) => {
    expect(monthAfter(month, by)).toBe(expected);
  });
});
