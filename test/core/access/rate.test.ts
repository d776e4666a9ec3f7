import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseRate, RATE_FORM } from '../../../src/core/access/rate.ts';

const SECONDS_PER_UNIT = { second: 1, minute: 60, hour: 3_600, day: 86_400 } as const;
const unit = fc.constantFrom('second', 'minute', 'hour', 'day');
const limit = fc.integer({ min: 1, max: 100_000 });

describe('parseRate', () => {
  it.each([
    ['5 per second', 5, 1_000],
    ['100 per 15 minutes', 100, 900_000],
    ['1 per 1 hour', 1, 3_600_000],
    ['7 PER Day', 7, 86_400_000],
    ['  10   per   2   seconds  ', 10, 2_000],
    ['5/second', 5, 1_000],
    ['5/s', 5, 1_000],
    ['5 / m', 5, 60_000],
    ['5/h', 5, 3_600_000],
    ['5/d', 5, 86_400_000],
    ['100000 per 31 days', 100_000, 2_678_400_000],
  ])('parses %j', (text, expectedLimit, periodMs) => {
    expect(parseRate(text)).toEqual({ limit: expectedLimit, periodMs });
  });

  it.each([
    '',
    '5',
    'per second',
    '5 per',
    '5 per s',
    '5/ss',
    '5/seconds',
    '0 per second',
    '100001 per second',
    '5 per 0 seconds',
    '5 per 32 days',
    '-5 per second',
    '1.5 per second',
    '5 per 1.5 seconds',
    '5 per fortnight',
    '5 per second per client',
    '1e3 per second',
    `${'9'.repeat(400)} per second`,
  ])('refuses %j and names the accepted form', (text) => {
    expect(() => parseRate(text)).toThrow(RATE_FORM);
  });

  it('parses every rate of the grammar', () => {
    fc.assert(
      fc.property(limit, fc.integer({ min: 1, max: 31 }), unit, fc.boolean(), (n, count, word, plural) => {
        const text = `${n} per ${count} ${word}${plural ? 's' : ''}`;

        expect(parseRate(text)).toEqual({ limit: n, periodMs: count * SECONDS_PER_UNIT[word] * 1_000 });
      }),
    );
    fc.assert(
      fc.property(limit, unit, (n, word) => {
        const expected = { limit: n, periodMs: SECONDS_PER_UNIT[word] * 1_000 };

        expect(parseRate(`${n} per ${word}`)).toEqual(expected);
        expect(parseRate(`${n}/${word}`)).toEqual(expected);
        expect(parseRate(`${n}/${word.charAt(0)}`)).toEqual(expected);
      }),
    );
  });

  it('returns a rate within its limits or throws, for any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('5', '0', '99999999', ' ', 'per', '/', 's', 'second', 'days', '-', '.'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        expect(isRateWithinBounds(given) || isRefused(given)).toBe(true);
      }),
    );
  });
});

function isRefused(text: string): boolean {
  try {
    parseRate(text);
    return false;
  } catch (error) {
    return String(error).includes(RATE_FORM);
  }
}

function isRateWithinBounds(text: string): boolean {
  if (isRefused(text)) return false;
  const { limit, periodMs } = parseRate(text);
  return limit >= 1 && periodMs >= 1_000 && Number.isSafeInteger(limit * periodMs);
}
