import { describe, expect, it } from 'vitest';
import { createWatchedCall } from '../../src/blocklists/watched-call.ts';

describe('a watched call', () => {
  const call = createWatchedCall();

  it('gives what the work gives, and throws what it throws', () => {
    expect(call(() => [1], 1_000)).toEqual([1]);
    expect(() =>
      call(() => {
        throw new TypeError('wrong');
      }, 1_000),
    ).toThrow(new TypeError('wrong'));
  });

  it('ends an expression that would take for ever, and works again', () => {
    expect(call(() => /^(a+)+$/.test(`${'a'.repeat(60)}b`), 20)).toBeUndefined();
    expect(call(() => true, 1_000)).toBe(true);
  });
});
