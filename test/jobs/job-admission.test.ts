import { describe, expect, it } from 'vitest';
import { createJobAdmission } from '../../src/jobs/job-admission.ts';

const mayStart = (running: number, quietMs: number, isDue = false): boolean =>
  createJobAdmission({ quietMs: () => quietMs, isBackgroundDue: () => isDue })(running);

describe('createJobAdmission', () => {
  it('lets jobs have all of their slots when nobody has captured for two seconds', () => {
    expect([mayStart(0, 2_000), mayStart(7, 2_000)]).toEqual([true, true]);
  });

  it('starts one job at a time in a gap between captures', () => {
    expect([mayStart(0, 1), mayStart(1, 1_999)]).toEqual([true, false]);
  });

  it('starts no job while a client captures, except one that is due', () => {
    expect([mayStart(0, 0), mayStart(0, 0, true), mayStart(1, 0, true)]).toEqual([false, true, false]);
  });
});
