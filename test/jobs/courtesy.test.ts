import { describe, expect, it } from 'vitest';
import { createCourtesy } from '../../src/jobs/courtesy.ts';

/** Whether one may begin beside so many, when it has been quiet for so long, at a time since the start. */
const ask = ([running, quietMs, atMs]: readonly [number, number, number]): boolean => {
  let nowMs = 0;
  const mayBegin = createCourtesy({ quietMs: () => quietMs, now: () => nowMs });
  nowMs = atMs;
  return mayBegin(running);
};

describe('createCourtesy', () => {
  it('lets jobs have all of their pages when nobody has captured for two seconds', () => {
    expect([[0, 2_000, 0] as const, [7, 2_000, 0] as const].map(ask)).toEqual([true, true]);
  });

  it('lets one at a time begin in a gap', () => {
    expect([[0, 1, 0] as const, [1, 1_999, 0] as const].map(ask)).toEqual([true, false]);
  });

  it('lets none begin while somebody captures, and one in half a minute where there is no gap', () => {
    expect([[0, 0, 29_999] as const, [0, 0, 30_000] as const, [1, 0, 30_000] as const].map(ask)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('counts the half minute from the last that began', () => {
    let nowMs = 0;
    const mayBegin = createCourtesy({ quietMs: () => 0, now: () => nowMs });
    const answers = [10_000, 30_000, 30_001, 59_999, 60_000].map((atMs) => {
      nowMs = atMs;
      return mayBegin(0);
    });

    expect(answers).toEqual([false, true, false, false, true]);
  });
});
