import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRefresh, type PollResult, delayMs } from '../../../../src/programs/playground/jobs/refresh.ts';

const QUIET: PollResult = { isBusy: false, requests: 1, hasFailed: false, retryAfterSeconds: undefined };
const BUSY: PollResult = { ...QUIET, isBusy: true };

describe('delayMs', () => {
  it.each([
    ['a job is queued or running', BUSY, 7, 2_000],
    ['three pages of jobs are shown', { ...BUSY, requests: 3 }, 0, 6_000],
    ['no job is active', QUIET, 0, 4_000],
    ['no job has been active for a while', QUIET, 2, 16_000],
    ['no job has been active for long', QUIET, 1_000, 60_000],
    ['a refresh fails', { ...BUSY, hasFailed: true }, 1, 8_000],
    ['the service requests a delay', { ...QUIET, hasFailed: true, retryAfterSeconds: 90 }, 0, 90_000],
    ['the service requests no delay', { ...QUIET, hasFailed: true, retryAfterSeconds: 0 }, 0, 2_000],
  ])('is the expected delay when %s', (_what, outlook, idlePolls, expected) => {
    expect(delayMs(outlook, idlePolls)).toBe(expected);
  });
});

describe('createRefresh', () => {
  let page: EventTarget & { hidden: boolean };
  beforeEach(() => {
    vi.useFakeTimers();
    page = Object.assign(new EventTarget(), { hidden: false });
    vi.stubGlobal('document', page);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('polls every two seconds while a job runs, and less and less often otherwise', async () => {
    let outlook = BUSY;
    const checks: number[] = [];
    const startedAt = Date.now();
    const refresh = createRefresh(async () => {
      checks.push((Date.now() - startedAt) / 1_000);
      return outlook;
    });

    await refresh.now();
    await vi.advanceTimersByTimeAsync(4_500);
    outlook = QUIET;
    await vi.advanceTimersByTimeAsync(30_000);

    expect(checks).toEqual([0, 2, 4, 6, 10, 18, 34]);
  });

  it('stops polling while the page is hidden, and polls when it is visible again', async () => {
    const look = vi.fn<() => Promise<PollResult>>(async () => BUSY);
    const refresh = createRefresh(look);
    await refresh.now();

    page.hidden = true;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(look).toHaveBeenCalledTimes(1);
    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));

    expect(look).toHaveBeenCalledTimes(2);
  });

  it('waits for a manual refresh while polling is off', async () => {
    const look = vi.fn<() => Promise<undefined>>(async () => undefined);
    const refresh = createRefresh(look);
    await refresh.now();

    page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(look).toHaveBeenCalledTimes(1);
    await refresh.now();

    expect(look).toHaveBeenCalledTimes(2);
  });

  it('never polls twice at once, and repeats for a request that arrives meanwhile', async () => {
    const ends: ((outlook: PollResult) => void)[] = [];
    const refresh = createRefresh(() => new Promise((resolve) => void ends.push(resolve)));
    const first = refresh.now();
    void refresh.now();
    void refresh.now();

    expect(ends).toHaveLength(1);
    ends[0]?.(QUIET);
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toHaveLength(2);
    ends[1]?.(QUIET);
    await first;

    expect(ends).toHaveLength(2);
  });
});
