import { describe, expect, it } from 'vitest';
import type { CaptureJob, JobState } from '../../../../src/programs/client/job-data.ts';
import {
  changesInWords,
  courseInWords,
  isOpen,
  isPicture,
  problemOf,
  resultInWords,
} from '../../../../src/programs/playground/jobs/job-words.ts';

const AT = '2026-11-22T10:00:';
const NOW_MS = Date.parse(`${AT}30Z`);
const ERROR = { message: 'Navigation failed', errorType: 'NavigationError', details: '<b>refused</b>' };

function job(state: JobState, more: Partial<CaptureJob> = {}): CaptureJob {
  const unknown = {
    label: undefined,
    url: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    result: undefined,
    error: undefined,
  };
  return { id: 'a', state, createdAt: `${AT}00Z`, attempts: 0, ...unknown, ...more };
}

function all(...states: readonly JobState[]): readonly CaptureJob[] {
  return states.map((state, index) => job(state, { id: `${index}` }));
}

describe('courseInWords', () => {
  const [startedAt, finishedAt] = [`${AT}10Z`, `${AT}14.500Z`];
  it.each([
    ['has waited for 30 s', job('queued')],
    ['has waited for 30 s, is retried after 1 attempt', job('queued', { attempts: 1, startedAt })],
    ['has run for 20 s', job('running', { attempts: 1, startedAt })],
    ['has run for 20 s, attempt 2', job('running', { attempts: 2, startedAt })],
    ['took 4.50 s at the last of 3 attempts', job('failed', { attempts: 3, startedAt, finishedAt })],
    ['was never started', job('cancelled', { finishedAt })],
  ])('returns: %s', (words, given) => {
    expect(courseInWords(given, NOW_MS)).toBe(words);
  });

  it('ignores a clock that runs behind', () => {
    expect(courseInWords(job('queued'), NOW_MS - 3_600_000)).toBe('has waited for 0 s');
  });
});

describe('problemOf', () => {
  it('returns the error of a failed job, unchanged', () => {
    expect(problemOf(job('failed', { error: ERROR }))).toMatchObject({
      message: 'Navigation failed',
      errorType: 'NavigationError',
      details: '<b>refused</b>',
    });
  });

  it('distinguishes a failed attempt from a failed job', () => {
    expect(problemOf(job('queued', { error: ERROR }))?.message).toBe('The last attempt ended with: Navigation failed');
  });

  it('returns nothing for a job without problems', () => {
    expect(problemOf(job('done'))).toBeUndefined();
  });
});

describe('the description of a job', () => {
  const result = { url: 'http://a.example/', expiresAt: '', contentType: 'image/webp', bytes: 48_000 };

  it('has the result as format and size', () => {
    expect(resultInWords({ result })).toBe('WEBP, 48 KB');
    expect(resultInWords({ result: undefined })).toBeUndefined();
  });

  it('has a picture only if the job is done and captured one', () => {
    expect(isPicture(job('done', { result }))).toBe(true);
    expect(isPicture(job('done', { result: { ...result, contentType: 'application/pdf' } }))).toBe(false);
    expect(isPicture(job('running'))).toBe(false);
  });

  it.each(['queued', 'running'] as const)('is open while it is %s', (state) => {
    expect(isOpen({ state })).toBe(true);
  });

  it.each(['done', 'failed', 'cancelled'] as const)('is not open once it is %s', (state) => {
    expect(isOpen({ state })).toBe(false);
  });
});

describe('changesInWords', () => {
  it('counts jobs whose state has changed', () => {
    expect(changesInWords(all('running', 'queued', 'queued'), all('done', 'done', 'running'))).toBe(
      '2 jobs are done, 1 job is running',
    );
  });

  it('omits new and unchanged jobs', () => {
    expect(changesInWords(all('done'), all('done', 'queued'))).toBeUndefined();
  });
});
