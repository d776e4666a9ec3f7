import { describe, expect, it } from 'vitest';
import { createRegexTimeout } from '../../../src/core/ground/regex-timeout.ts';

describe('a call with a watchdog', () => {
  const call = createRegexTimeout();

  it('returns the result of the work, and throws its error', () => {
    expect(call(() => [1], 1_000)).toEqual([1]);
    expect(() =>
      call(() => {
        throw new TypeError('wrong');
      }, 1_000),
    ).toThrow(new TypeError('wrong'));
  });

  it('stops an endless regular expression, and works again', () => {
    expect(call(() => /^(a+)+$/.test(`${'a'.repeat(60)}b`), 20)).toBeUndefined();
    expect(call(() => true, 1_000)).toBe(true);
  });
});
