import { EventEmitter } from 'node:events';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBrowserHost } from '../../../../src/core/browser/host/browser-host.ts';
import type { LaunchedBrowser } from '../../../../src/core/browser/process/launch.ts';
import { fake } from '../../../support/fake.ts';

const never = new AbortController().signal;
const GATE = { port: 1, webSocketPort: 2 };

describe('createBrowserHost', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('starts another browser when the current one has ended', async () => {
    const { host, launched } = hostWith();
    await host.start();
    const page = await host.openPage(GATE, never);
    page.begin();

    launched[0]?.die();
    await vi.advanceTimersByTimeAsync(0);

    expect(page.signal.aborted).toBe(true);
    expect(launched).toHaveLength(2);
    expect(host.state()).toMatchObject({
      state: 'running',
      restarts: 1,
      restartsByReason: { crashed: 1, unresponsive: 0 },
      captures: 1,
    });
    await expect(host.openPage(GATE, never)).resolves.toBeDefined();
  });

  it('lets captures wait for the first browser, and removes one whose client disconnects', async () => {
    const start = Promise.withResolvers<void>();
    const { host, launched } = hostWith({ beforeLaunch: () => start.promise });
    const client = new AbortController();
    const [patient, ended] = [host.openPage(GATE, never), host.openPage(GATE, client.signal)];

    client.abort(new Error('gone'));
    await expect(ended).rejects.toThrow('gone');
    expect(host.state().state).toBe('starting');
    start.resolve();

    await expect(patient).resolves.toBeDefined();
    expect(launched).toHaveLength(1);
  });

  it('retries with increasing delays while no browser starts, and refuses captures at once', async () => {
    let works = false;
    let attempts = 0;
    const { host } = hostWith({
      beforeLaunch: async () => {
        attempts++;
        if (!works) throw new Error('no');
      },
    });
    const started = host.start();
    await vi.advanceTimersByTimeAsync(0);

    await expect(host.openPage(GATE, never)).rejects.toMatchObject({
      type: 'OverloadedError',
      retryAfterSeconds: 1,
    });
    expect(host.state().state).toBe('failing');
    const seen: number[] = [];
    for (const ms of [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      await vi.advanceTimersByTimeAsync(ms - 1);
      seen.push(attempts);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);

    works = true;
    await vi.advanceTimersByTimeAsync(10_000);
    await started;
    expect(host.state().state).toBe('running');
    await expect(host.openPage(GATE, never)).resolves.toBeDefined();
  });

  it('replaces the browser when it holds too much memory, which it looks at every 50 captures', async () => {
    const holdsTooMuch = vi.fn<() => boolean>(() => true);
    const { host, launched } = hostWith({ holdsTooMuch });
    await host.start();
    const captureMany = async (count: number): Promise<void> => {
      for (let left = count; left > 0; left--) {
        const page = await host.openPage(GATE, never);
        page.begin();
        await page.close();
      }
    };

    await captureMany(49);
    expect([launched.length, holdsTooMuch.mock.calls.length]).toEqual([1, 0]);
    await captureMany(1);
    await vi.advanceTimersByTimeAsync(0);

    expect(launched.map(({ closed }) => closed)).toEqual([true, false]);
    expect(host.state()).toMatchObject({ restarts: 0, restartsByReason: { recycled: 1 } });
  });

  it('replaces the browser after a number of captures, and closes the old one with its last page', async () => {
    const { host, launched } = hostWith({ recycleAfter: 2 });
    await host.start();
    const pages = [await host.openPage(GATE, never), await host.openPage(GATE, never)];
    for (const page of pages) page.begin();
    await vi.advanceTimersByTimeAsync(0);

    expect(launched).toHaveLength(2);
    await host.openPage(GATE, never);
    expect(launched.map(({ contexts, closed }) => ({ contexts, closed }))).toEqual([
      { contexts: 2, closed: false },
      { contexts: 1, closed: false },
    ]);
    await pages[0]?.close();
    expect(launched[0]?.closed).toBe(false);
    await pages[1]?.close();

    expect(launched[0]?.closed).toBe(true);
    expect(host.state()).toMatchObject({ state: 'running', restarts: 0, restartsByReason: { recycled: 1 } });
  });

  it('retires a browser whose page does not close', async () => {
    const { host, launched } = hostWith({ answersDispose: false });
    await host.start();
    const page = await host.openPage(GATE, never);
    page.begin();

    const closing = page.close();
    await vi.advanceTimersByTimeAsync(2_000);
    await closing;

    expect(launched).toHaveLength(2);
    expect(launched[0]?.closed).toBe(true);
    expect(host.state()).toMatchObject({ restarts: 0, restartsByReason: { page_stuck: 1 } });
  });

  it('opens no page in a browser that cannot open any, before the watchdog notices', async () => {
    const { host, launched } = hostWith();
    await host.start();

    launched[0]?.loseStarters();
    await host.openPage(GATE, never);

    expect(launched.map(({ contexts }) => contexts)).toEqual([0, 1]);
    expect(launched[0]?.killed).toBe(true);
    expect(host.state()).toMatchObject({ restartsByReason: { crashed: 1 } });
  });

  it('distinguishes a browser that was killed as unresponsive from one that crashed', async () => {
    const { host, launched, watched } = hostWith();
    await host.start();

    watched[0]?.();
    launched[0]?.die();
    await vi.advanceTimersByTimeAsync(0);

    expect(host.state()).toMatchObject({ restarts: 1, restartsByReason: { crashed: 0, unresponsive: 1 } });
  });

  it('is responsive if the browser answers within two seconds, and checks once a second', async () => {
    const { host, launched } = hostWith();
    expect(await host.isResponsive()).toBe(false);
    await host.start();
    await vi.advanceTimersByTimeAsync(1_001);

    expect(await Promise.all([host.isResponsive(), host.isResponsive()])).toEqual([true, true]);
    expect(launched[0]?.versionCalls).toBe(1);
    launched[0]?.hang();
    await vi.advanceTimersByTimeAsync(1_001);
    const answer = host.isResponsive();
    await vi.advanceTimersByTimeAsync(2_000);

    expect(await answer).toBe(false);
  });

  it('closes every browser, starts none afterwards, and refuses captures', async () => {
    const { host, launched } = hostWith();
    await host.start();

    await Promise.all([host.close(), host.close()]);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(launched.map(({ closed }) => closed)).toEqual([true]);
    await expect(host.openPage(GATE, never)).rejects.toMatchObject({ type: 'OverloadedError' });
  });

  it('waits on close for the browser that is starting, and closes it', async () => {
    const start = Promise.withResolvers<void>();
    const { host, launched } = hostWith({ beforeLaunch: () => start.promise });
    void host.start().catch(() => undefined);

    const closing = host.close().then(() => 'closed');
    const before = await Promise.race([closing, vi.advanceTimersByTimeAsync(10).then(() => 'waits')]);
    start.resolve();
    await closing;

    expect([before, launched.map(({ closed }) => closed)]).toEqual(['waits', [true]]);
  });

  it('waits on close until the files of a crashed browser are removed', async () => {
    const { host, launched } = hostWith();
    await host.start();
    const removal = Promise.withResolvers<void>();
    launched[0]?.cleanUpAfter(removal.promise);
    launched[0]?.die();

    const closing = host.close().then(() => 'closed');
    const before = await Promise.race([closing, vi.advanceTimersByTimeAsync(10).then(() => 'waits')]);
    removal.resolve();

    expect([before, await closing]).toEqual(['waits', 'closed']);
  });
});

interface Given {
  readonly recycleAfter?: number;
  readonly holdsTooMuch?: () => boolean;
  readonly beforeLaunch?: () => Promise<void>;
  /** If false, closing a browser context never completes. */
  readonly answersDispose?: boolean;
}

function hostWith({
  recycleAfter = 1_000,
  holdsTooMuch = () => false,
  beforeLaunch,
  answersDispose = true,
}: Given = {}) {
  const launched: FakeBrowser[] = [];
  const watched: (() => void)[] = [];
  const host = createBrowserHost({
    launch: async () => {
      await beforeLaunch?.();
      const browser = new FakeBrowser(answersDispose);
      launched.push(browser);
      return browser.launched();
    },
    window: { width: 800, height: 600, deviceScaleFactor: 1, mobile: false },
    recycleAfter,
    holdsTooMuch,
    watch: (_browser, _pages, onUnresponsive) => {
      watched.push(onUnresponsive);
    },
    log: pino({ level: 'silent' }),
  });
  return { host, launched, watched };
}

/** Implements as much of the protocol as opening and closing a page needs. */
class FakeBrowser extends EventEmitter {
  contexts = 0;
  versionCalls = 0;
  closed = false;
  killed = false;
  #hangs = false;
  #hasLostPageStarters = false;
  readonly #answersDispose: boolean;
  readonly #ended = new AbortController();
  readonly #cleaned = Promise.withResolvers<void>();
  #cleanup: Promise<void> = Promise.resolve();

  constructor(answersDispose: boolean) {
    super();
    this.#answersDispose = answersDispose;
  }

  cleanUpAfter(cleanup: Promise<void>): void {
    this.#cleanup = cleanup;
  }

  die(): void {
    this.#cleaned.resolve(this.#cleanup);
    this.#ended.abort(new Error('gone'));
  }

  hang(): void {
    this.#hangs = true;
  }

  loseStarters(): void {
    this.#hasLostPageStarters = true;
  }

  async createSession(): Promise<object> {
    return Object.assign(new EventEmitter(), { id: () => 'session', send: async () => ({}) });
  }

  send(method: string): Promise<object> {
    const isStuck = this.#hangs || (method === 'Target.disposeBrowserContext' && !this.#answersDispose);
    if (method === 'Browser.getVersion') this.versionCalls++;
    if (method === 'Target.createBrowserContext') this.contexts++;
    return isStuck
      ? new Promise(() => undefined)
      : Promise.resolve({
          browserContextId: `context ${this.contexts}`,
          targetId: `target ${this.contexts}`,
        });
  }

  launched(): LaunchedBrowser {
    return {
      connection: fake(this),
      pipe: fake<LaunchedBrowser['pipe']>({ countFor: () => () => undefined }),
      version: 'Fake/1',
      identity: { userAgent: 'Fake/1' },
      pid: 1,
      hasLostPageStarters: () => this.#hasLostPageStarters,
      ended: this.#ended.signal,
      cleaned: this.#cleaned.promise,
      kill: () => {
        this.killed = true;
        this.die();
      },
      close: async () => {
        this.closed = true;
        this.die();
      },
    };
  }
}
