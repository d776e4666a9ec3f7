import type { Connection } from 'puppeteer';
import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { raceAbort } from '../../timeouts.ts';
import type { LaunchedBrowser } from '../process/launch.ts';
import { TemporaryFolderFullError } from '../process/temporary-space.ts';
import type { OpenPages } from '../process/renderer-watch.ts';
import { createRetiringBrowser, type RetiringBrowser } from './retiring-browser.ts';
import { createLaunchWithBackoff } from './launch-with-backoff.ts';

/** Reasons for replacing a browser. */
const RESTART_REASONS = ['crashed', 'unresponsive', 'page_stuck', 'recycled'] as const;
export type RestartReason = (typeof RESTART_REASONS)[number];

export interface CurrentBrowserOptions {
  readonly launch: () => Promise<LaunchedBrowser>;
  /**
   * Watches a browser from its start to its end. Calls `onUnresponsive` before it kills a browser that does not answer.
   */
  readonly watch: (browser: LaunchedBrowser, pages: OpenPages, onUnresponsive: () => void) => void;
  readonly log: Logger;
}

export interface CurrentBrowser {
  /** Starts a browser, or joins the start under way. Retries until one runs or `close` is called. */
  readonly start: () => Promise<RetiringBrowser>;
  /**
   * Returns the running browser, or waits for the one that is starting.
   * @throws ServiceError OverloadedError at once while the browser can't be started, and after `close`.
   */
  readonly get: (signal: AbortSignal) => Promise<RetiringBrowser>;
  /** The running browser; undefined while one is starting. */
  readonly peek: () => RetiringBrowser | undefined;
  /**
   * Starts a replacement for a browser that still runs. The old one closes with its last page. Does nothing during a
   * start.
   */
  readonly replace: (reason: RestartReason) => void;
  /** Calls the listener whenever a new browser has replaced the current one. */
  readonly onReplaced: (listener: () => void) => void;
  /** Browsers that run: the current one, and older ones that still have pages. */
  readonly alive: () => ReadonlySet<RetiringBrowser>;
  readonly restarts: () => Readonly<Record<RestartReason, number>>;
  /** True after a failed start, until one succeeds. */
  readonly isFailing: () => boolean;
  /** Closes every browser. Idempotent, does not throw. */
  readonly close: () => Promise<void>;
}

/** Keeps one browser running, and replaces it when it crashes or hangs. */
export function createCurrentBrowser({ launch, watch, log }: CurrentBrowserOptions): CurrentBrowser {
  const alive = new Set<RetiringBrowser>();
  const cleanups = createCleanups();
  const replacedListeners: (() => void)[] = [];
  const restarts: Record<RestartReason, number> = { crashed: 0, unresponsive: 0, page_stuck: 0, recycled: 0 };
  let current: RetiringBrowser | undefined;
  let closed = false;

  const launchOne = async (): Promise<RetiringBrowser> => {
    const launching = launch();
    cleanups.add(launching);
    const browser = await launching;
    cleanups.add(browser.cleaned);
    const hosted = createRetiringBrowser(browser);
    alive.add(hosted);
    closePopups(browser.connection, log);
    const onClosed = (): void => {
      alive.delete(hosted);
      onLost(hosted, 'crashed');
    };
    if (browser.ended.aborted) onClosed();
    else browser.ended.addEventListener('abort', onClosed, { once: true });
    watch(browser, hosted.openPages, () => onLost(hosted, 'unresponsive'));
    if (closed) await browser.close();
    return hosted;
  };

  /** Counts only the first reason, because later reasons follow from it. */
  const onLost = (hosted: RetiringBrowser, reason: RestartReason): void => {
    if (closed || hosted !== current) return;
    current = undefined;
    restarts[reason]++;
    log.warn({ pid: hosted.browser.pid }, 'the browser has ended: starting another');
    void start();
  };

  const launcher = createLaunchWithBackoff(async () => {
    const hosted = await launchOne();
    const previous = current;
    current = hosted;
    previous?.retire();
    for (const listener of replacedListeners) listener();
    log.info({ version: hosted.browser.version, pid: hosted.browser.pid }, 'browser ready');
    return hosted;
  }, log);
  const start = launcher.launch;

  return {
    start,
    get: async (signal) => {
      if (closed) throw overloaded('The service is shutting down', 5);
      const hosted = current;
      if (hosted?.browser.hasLostPageStarters() === false) return hosted;
      if (hosted !== undefined) {
        onLost(hosted, 'crashed');
        hosted.browser.kill();
      }
      const { retryAt, error } = launcher.failure() ?? {};
      if (retryAt !== undefined) {
        const seconds = Math.max(1, Math.ceil((retryAt - performance.now()) / 1000));
        const reason = error instanceof TemporaryFolderFullError ? ': its temporary folder is full' : ' at the moment';
        throw overloaded(`The browser can't be started${reason}`, seconds);
      }
      return await raceAbort(start(), signal);
    },
    peek: () => current,
    replace: (reason) => {
      if (launcher.isLaunching()) return;
      restarts[reason]++;
      void start();
    },
    onReplaced: (listener) => void replacedListeners.push(listener),
    alive: () => alive,
    restarts: () => ({ ...restarts }),
    isFailing: () => launcher.failure() !== undefined,
    close: async () => {
      closed = true;
      launcher.stop();
      await Promise.allSettled([...alive].map((hosted) => hosted.browser.close()));
      await cleanups.settle();
    },
  };
}

/**
 * Launches in progress, and ended browsers that still remove their files. `close` waits for them, because nothing else
 * would.
 */
function createCleanups() {
  const pending = new Set<Promise<void>>();
  return {
    add: (work: Promise<unknown>): void => {
      const settled = work.then(
        () => void pending.delete(settled),
        () => void pending.delete(settled),
      );
      pending.add(settled);
    },
    /** Resolves when all work has settled, including work that was added meanwhile. */
    settle: async (): Promise<void> => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

function overloaded(message: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('OverloadedError', message, { retryAfterSeconds });
}

/**
 * Closes every tab that a page opens. Each context has one tab. Headless shell blocks popups by a flag; full Chrome
 * allows them after a click, and a page can click itself.
 */
function closePopups(connection: Connection, log: Logger): void {
  const firstTab = new Map<string, string>();
  connection.on('Target.targetCreated', ({ targetInfo: { type, targetId, browserContextId } }) => {
    if (type !== 'page' || browserContextId === undefined) return;
    const first = firstTab.get(browserContextId) ?? targetId;
    firstTab.set(browserContextId, first);
    if (first === targetId) return;
    connection.send('Target.closeTarget', { targetId }).catch((error: unknown) => {
      log.debug({ err: error }, 'the popup was already closed');
    });
  });
  connection.on('Target.targetDestroyed', ({ targetId }) => {
    for (const [context, first] of firstTab) if (first === targetId) firstTab.delete(context);
  });
}
