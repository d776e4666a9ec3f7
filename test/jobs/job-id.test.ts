import { describe, expect, it } from 'vitest';
import { createJobId, timeOfJobId } from '../../src/jobs/job-id.ts';

describe('a job id', () => {
  it('sorts by creation time, also within a millisecond', () => {
    const ids = [1_000, 1_000, 1_000, 1_001, 1_001, 2_000].map(createJobId);

    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('encodes its creation time and no other data', () => {
    expect(timeOfJobId(createJobId(1_795_000_000_123))).toBe(1_795_000_000_123);
    expect(timeOfJobId('5b2f7c1e-0000-4000-8000-000000000000')).toBeUndefined();
    expect(timeOfJobId('x')).toBeUndefined();
  });
});
