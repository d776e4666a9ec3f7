import type { Connection } from 'puppeteer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProbe } from '../../../../src/core/browser/host/hosted-browser.ts';
import { createLaunchWithBackoff } from '../../../../src/core/browser/host/launch-with-backoff.ts';
import { createLog } from '../../../../src/core/ground/log.ts';
import { fake } from '../../../support/fake.ts';

const DAY_MS = 86_400_000;

describe.each([DAY_MS, -DAY_MS])('when the wall clock jumps by %i ms', (jumpMs) => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('the probe keeps its answer for one second, and no longer', () => {
    const send = vi.fn<() => Promise<object>>(async () => ({}));
    const probe = createProbe(fake<Connection>({ send: fake(send) }));
    void probe();

    vi.setSystemTime(Date.now() + jumpMs);
    void probe();
    expect(send).toHaveBeenCalledTimes(1);

    vi.advanceTimersByTime(1_001);
    void probe();
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('a failed start of the browser is retried after the same delay', async () => {
    const log = createLog({ level: 'silent', format: 'json' });
    const steady = createLaunchWithBackoff(() => Promise.reject(new Error('no browser')), log);
    steady.launch().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(0);
    const leftMs = (): number => (steady.failure()?.retryAt ?? 0) - performance.now();

    expect(leftMs()).toBe(250);
    vi.setSystemTime(Date.now() + jumpMs);
    expect(leftMs()).toBe(250);
    steady.stop();
    await vi.advanceTimersByTimeAsync(250);
  });
});
