import { describe, expect, it } from 'vitest';
import { createJobId, timeOfJobId } from '../../src/jobs/job-id.ts';

describe('the id of a job', () => {
  it('sorts as it came, within a millisecond too', () => {
    const ids = [1_000, 1_000, 1_000, 1_001, 1_001, 2_000].map(createJobId);

    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('tells when it was made, and nothing else does', () => {
    expect(timeOfJobId(createJobId(1_795_000_000_123))).toBe(1_795_000_000_123);
    expect(timeOfJobId('5b2f7c1e-0000-4000-8000-000000000000')).toBeUndefined();
    expect(timeOfJobId('x')).toBeUndefined();
  });
});
