import { describe, expect, it } from 'vitest';
import { createJobAdmission } from '../../../src/parts/jobs/create-jobs.ts';

const mayStart = (running: number, quietMs: number, isDue = false): boolean =>
  createJobAdmission({ quietMs: () => quietMs, isBackgroundDue: () => isDue })(running);

describe('createJobAdmission', () => {
  it('gives jobs all of their slots after two seconds without captures', () => {
    expect([mayStart(0, 2_000), mayStart(7, 2_000)]).toEqual([true, true]);
  });

  it('starts one job at a time in a gap between captures', () => {
    expect([mayStart(0, 1), mayStart(1, 1_999)]).toEqual([true, false]);
  });

  it('starts no job during a capture, except an overdue one', () => {
    expect([mayStart(0, 0), mayStart(0, 0, true), mayStart(1, 0, true)]).toEqual([false, true, false]);
  });
});
