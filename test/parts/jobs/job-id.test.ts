import { describe, expect, it } from 'vitest';
import { createJobId, jobIdsOfBatch, timeOfJobId } from '../../../src/parts/jobs/job-id.ts';

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

  it('leads to the ids of its batch, which sort after it and have its time', () => {
    const first = createJobId(1_795_000_000_123);

    const ids = jobIdsOfBatch(first, 100);

    expect(ids).toEqual(jobIdsOfBatch(first, 100));
    expect([ids[0], ids.length, new Set(ids).size]).toEqual([first, 100, 100]);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids.map(timeOfJobId))).toEqual(new Set([1_795_000_000_123]));
    expect(jobIdsOfBatch(createJobId(1_795_000_000_123), 2)[1]).not.toBe(ids[1]);
  });
});
