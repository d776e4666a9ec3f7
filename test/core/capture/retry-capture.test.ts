import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  BrowserClosedError,
  NetworkLostError,
  PageStuckError,
  PrintingLostError,
  RendererCrashedError,
} from '../../../src/core/browser/browser-errors.ts';
import { createRetry, retryOptions } from '../../../src/core/capture/retry-capture.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { createLog } from '../../../src/core/ground/log.ts';
import { eventually } from '../../support/eventually.ts';

type Attempt = (lostTo: unknown) => Promise<string>;

const log = createLog({ level: 'silent', format: 'json' });
const UNPAINTED = 'Protocol error (Page.captureScreenshot): Unable to capture screenshot';
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

describe('createRetry', () => {
  it('returns the result of a successful first attempt, without another', async () => {
    const attempt = vi.fn<Attempt>(async () => 'picture');

    expect(await start(createRetry(), { attempt })).toBe('picture');
    expect(attempt.mock.calls).toEqual([[undefined]]);
  });

  it.each([
    ['the tab', new RendererCrashedError('gone')],
    ['the browser', new BrowserClosedError('gone')],
    ['the connections', new NetworkLostError('gone')],
    ['the rendering', new Error(UNPAINTED)],
    ['the print job', new PrintingLostError('gone')],
    ['the clock override', new PageStuckError('stuck')],
  ])('retries once when %s was lost, and reports what was lost', async (_what, loss) => {
    const attempt = vi.fn<Attempt>(async () => 'picture').mockRejectedValueOnce(loss);

    expect(await start(createRetry(), { attempt })).toBe('picture');
    expect(attempt.mock.calls).toEqual([[undefined], [loss]]);
  });

  // The loss of a renderer may be the first sign that its browser has ended.
  it('delays the retry', async () => {
    const times: number[] = [];
    const attempt = vi.fn<Attempt>(async (lostTo) => {
      times.push(performance.now());
      if (lostTo === undefined) throw new RendererCrashedError('gone');
      return 'picture';
    });

    await start(createRetry(), { attempt });

    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(95);
  });

  it('does not retry other failures, or requests without a waiting client', async () => {
    const refused = vi.fn<Attempt>(() => Promise.reject(new ServiceError('NavigationError')));
    const late = vi.fn<Attempt>(() => Promise.reject(new RendererCrashedError('gone')));

    await expect(start(createRetry(), { attempt: refused })).rejects.toMatchObject({
      type: 'NavigationError',
    });
    await expect(start(createRetry(), { attempt: late, signal: AbortSignal.abort() })).rejects.toThrow(
      'crashed or closed its tab',
    );
    expect([refused, late].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it.each([
    ['a tab', new RendererCrashedError('gone'), 'PageCrashedError', 'The page crashed or closed its tab, twice'],
    ['a browser', new BrowserClosedError('gone'), 'PageCrashedError', 'The browser crashed twice during the capture'],
    ['the print job', new PrintingLostError('gone'), 'PageCrashedError', 'The page crashed or closed its tab, twice'],
    ['the clock override', new PageStuckError('stuck'), 'TimeoutError', 'The page does not answer'],
    ['the rendering', new Error(UNPAINTED), 'InternalServerError', 'The browser failed to paint the page twice'],
  ])('reports that %s was lost twice', async (_what, loss, type, message) => {
    const attempt: Attempt = () => Promise.reject(loss);

    await expect(start(createRetry(), { attempt })).rejects.toMatchObject({ type, message });
  });

  it('refuses for a minute only the request that crashed the browser twice', async () => {
    let now = 0;
    const withRetry = createRetry(() => now);
    const killer = vi.fn<Attempt>(() => Promise.reject(new BrowserClosedError('gone')));
    const work = { request: 'killer', attempt: killer };
    await expect(start(withRetry, work)).rejects.toThrow('crashed twice');

    now = 59_999;
    await expect(start(withRetry, work)).rejects.toThrow('refused for one minute');
    expect(await start(withRetry, { request: 'other' })).toBe('picture');
    expect(killer).toHaveBeenCalledTimes(2);
    now = 60_000;
    await expect(start(withRetry, work)).rejects.toThrow('crashed twice');

    expect(killer).toHaveBeenCalledTimes(4);
  });

  it('reads no request any more when the minute is over', async () => {
    let now = 0;
    const withRetry = createRetry(() => now);
    const request = vi.fn<() => string>(() => 'crashing');
    const attempt = vi.fn<Attempt>().mockRejectedValue(new BrowserClosedError('gone'));
    await expect(withRetry({ request, attempt, signal: never, log })).rejects.toThrow('crashed');
    now = 60_001;
    request.mockClear();

    await start(withRetry, {});
    await withRetry({ request, attempt: async () => 'picture', signal: never, log });

    expect(request).not.toHaveBeenCalled();
  });

  it('refuses it for a minute though the clock jumps a day forward', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const withRetry = createRetry();
    const work = { request: 'killer', attempt: () => Promise.reject(new BrowserClosedError('gone')) };
    await expect(start(withRetry, work)).rejects.toThrow('crashed twice');

    vi.setSystemTime(Date.now() + DAY_MS);

    await expect(start(withRetry, work)).rejects.toThrow('refused for one minute');
  });

  it('still retries a request that crashed its own tab twice', async () => {
    const withRetry = createRetry();
    const attempt = vi.fn<Attempt>(() => Promise.reject(new RendererCrashedError('gone')));

    for (const tries of [2, 4]) {
      await expect(start(withRetry, { attempt })).rejects.toThrow('crashed or closed its tab');
      expect(attempt).toHaveBeenCalledTimes(tries);
    }
  });

  it('serializes retries after the loss of a browser', async () => {
    const withRetry = createRetry();
    const running: string[] = [];
    const ends = new Map<string, () => void>();
    const suspect = (name: string): Promise<string> =>
      start(withRetry, {
        request: name,
        attempt: async (lostTo) => {
          if (lostTo === undefined) throw new BrowserClosedError('gone');
          running.push(name);
          await new Promise<void>((resolve) => ends.set(name, resolve));
          return name;
        },
      });
    const both = Promise.all([suspect('first'), suspect('second')]);
    await eventually(() => expect(running).toEqual(['first']));

    ends.get('first')?.();
    await eventually(() => expect(running).toEqual(['first', 'second']));
    ends.get('second')?.();

    expect(await both).toEqual(['first', 'second']);
  });
});

function start(
  withRetry: ReturnType<typeof createRetry>,
  {
    request = 'request',
    attempt = async () => 'picture',
    signal = never,
  }: { readonly request?: string; readonly attempt?: Attempt; readonly signal?: AbortSignal },
): Promise<string> {
  return withRetry({ request: () => request, attempt, signal, log });
}

describe('retryOptions', () => {
  const options = { format: 'png', run_ahead: 6_000, delay_capture: 0, pdf_tagged: true } as const;
  const lostTo = new PageStuckError('stuck');

  it('gives a page real time that could not run ahead', () => {
    const { instead, warning } = retryOptions(options, lostTo);

    expect([instead, warning]).toEqual([{ run_ahead: 0, delay_capture: 2_500 }, 'run_ahead_incomplete']);
    expect(retryOptions({ ...options, delay_capture: 9_000 }, lostTo).instead.delay_capture).toBe(9_000);
    expect(retryOptions({ ...options, run_ahead: 100 }, lostTo).instead.delay_capture).toBe(100);
    expect(retryOptions(options, new RendererCrashedError('gone')).instead).toEqual({});
  });
});
