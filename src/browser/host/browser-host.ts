import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { createMutex } from '../../mutex.ts';
import { abortReason, raceAbort } from '../../timeouts.ts';
import type { GatePorts } from '../../egress/gate/gate.ts';
import type { Window } from '../page/page.ts';
import type { LaunchedBrowser } from '../process/launch.ts';
import type { OpenPages } from '../process/renderer-watch.ts';
import { TemporaryFolderFullError } from '../process/temporary-space.ts';
import { hostBrowser, type HostedBrowser, type HostedPage } from './hosted-browser.ts';
import { createLaunchWithBackoff, type LaunchFailure } from './launch-with-backoff.ts';

const OPENING_MS = 1_000; // opening a page usually takes 50 to 150 ms

/** Reasons for replacing a browser. The first two are unplanned. */
type RestartReason = 'crashed' | 'unresponsive' | 'page_stuck' | 'recycled';

export interface BrowserState {
  readonly state: 'starting' | 'running' | 'failing';
  readonly version: string | undefined;
  /** When the browser was built. Undefined if it is not known. */
  readonly builtAt?: Date | undefined;
  /** Captures started since the service started. */
  readonly captures: number;
  /** Unplanned replacements since the service started. */
  readonly restarts: number;
  /** All replacements, including planned ones. */
  readonly restartsByReason: Readonly<Record<RestartReason, number>>;
}

export interface BrowserHost {
  /** Starts the first browser. Resolves when it runs. Later failures are retried in the background. */
  readonly start: () => Promise<void>;
  /**
   * Opens a page in a new context of the current browser, or waits for a browser that is starting. The page's
   * connections go to the gate at these ports. The caller closes the page.
   * @throws ServiceError OverloadedError at once while no browser can be started.
   * @throws BrowserClosedError if the browser ends meanwhile.
   */
  readonly openPage: (gate: GatePorts, signal: AbortSignal) => Promise<HostedPage>;
  /** Calls the listener each time that a new browser has taken over. */
  readonly onReplaced: (listener: () => void) => void;
  /** True if the browser answers a cheap call within two seconds. Cached for one second. */
  readonly isResponsive: () => Promise<boolean>;
  readonly state: () => BrowserState;
  /** Process groups of the running browsers. */
  readonly groups: () => readonly number[];
  /** Closes every browser. Idempotent, bounded, does not throw. */
  readonly close: () => Promise<void>;
}

interface HostOptions {
  readonly launch: () => Promise<LaunchedBrowser>;
  /**
   * Watches a browser from its start to its end. Calls `onUnresponsive` before it kills a browser that does not answer.
   */
  readonly watch: (browser: LaunchedBrowser, pages: OpenPages, onUnresponsive: () => void) => void;
  readonly log: Logger;
  /** Window of every new page. */
  readonly window: Window;
  readonly builtAt?: Date | undefined;
  /** Captures after which a new browser takes over. The old one closes with its last page. */
  readonly recycleAfter: number;
  /** True if the browser holds so much memory outside of its pages that a new one should take over. */
  readonly holdsTooMuch: (browser: LaunchedBrowser) => boolean;
}

/** Number of captures between two checks of the browser's memory, because a check reads the process table. */
const CHECK_EVERY = 50;

/** Keeps one browser running, opens pages in it, and replaces it when it fails, is due, or does not close a page. */
export function createBrowserHost(options: HostOptions): BrowserHost {
  const { log } = options;
  const alive = new Set<HostedBrowser>();
  const cleanups = createPending();
  const replacedListeners: (() => void)[] = [];
  const restartsByReason: Record<RestartReason, number> = { crashed: 0, unresponsive: 0, page_stuck: 0, recycled: 0 };
  let current: HostedBrowser | undefined;
  let isClosed = false;
  let captures = 0;

  // Every page starts a process. Opening pages one after the other gives 14 % more captures a second than two at a
  // time, at 4 clients (nine photographs, 2 cores, 2026-11-21).
  const serialized = createMutex(OPENING_MS);

  const launchOne = async (): Promise<HostedBrowser> => {
    const launching = options.launch();
    cleanups.add(launching);
    const launched = await launching;
    cleanups.add(launched.cleaned);
    const hosted: HostedBrowser = hostBrowser(launched, {
      window: options.window,
      log,
      isCurrent: () => hosted === current,
      onBegin: () => {
        captures++;
        if (hosted === current && isDue(hosted)) replace('recycled');
      },
      onStuck: () => {
        if (hosted === current) replace('page_stuck');
      },
    });
    alive.add(hosted);
    const onClosed = (): void => {
      alive.delete(hosted);
      onLost(hosted, 'crashed');
    };
    if (hosted.ended.aborted) onClosed();
    else hosted.ended.addEventListener('abort', onClosed, { once: true });
    options.watch(hosted, hosted.openPages, () => onLost(hosted, 'unresponsive'));
    if (isClosed) await hosted.close();
    return hosted;
  };

  const isDue = (hosted: HostedBrowser): boolean =>
    hosted.captures() >= options.recycleAfter ||
    (hosted.captures() % CHECK_EVERY === 0 && options.holdsTooMuch(hosted));

  /** Counts only the first reason, because later reasons follow from it. */
  const onLost = (hosted: HostedBrowser, reason: RestartReason): void => {
    if (isClosed || hosted !== current) return;
    current = undefined;
    restartsByReason[reason]++;
    log.warn({ pid: hosted.pid }, 'the browser has ended: starting another');
    void launcher.launch();
  };

  const launcher = createLaunchWithBackoff(async () => {
    const hosted = await launchOne();
    const previous = current;
    current = hosted;
    previous?.retire();
    for (const listener of replacedListeners) listener();
    log.info({ version: hosted.version, pid: hosted.pid }, 'browser ready');
    return hosted;
  }, log);

  /** Starts a replacement for a browser that still runs. The old one closes with its last page. */
  const replace = (reason: RestartReason): void => {
    if (launcher.isLaunching()) return;
    restartsByReason[reason]++;
    void launcher.launch();
  };

  /**
   * Returns the running browser, or waits for the one that is starting.
   * @throws ServiceError OverloadedError at once while the browser can't be started, and after `close`.
   */
  const running = async (signal: AbortSignal): Promise<HostedBrowser> => {
    if (isClosed) throw overloaded('The service is shutting down', 5);
    const hosted = current;
    if (hosted?.hasLostPageStarters() === false) return hosted;
    if (hosted !== undefined) {
      onLost(hosted, 'crashed');
      hosted.kill();
    }
    const failure = launcher.failure();
    if (failure !== undefined) throw notStarted(failure);
    return await raceAbort(launcher.launch(), signal);
  };

  return {
    start: async () => void (await launcher.launch()),
    openPage: async (gate, signal) => {
      await running(signal); // outside the mutex: waiting for a browser must not block other clients
      return await serialized(async () => {
        const hosted = await running(signal);
        if (signal.aborted) throw abortReason(signal); // the client has disconnected
        return await hosted.openPage(gate);
      });
    },
    onReplaced: (listener) => void replacedListeners.push(listener),
    isResponsive: async () => (await current?.isResponsive()) ?? false,
    state: () => ({
      state: current !== undefined ? 'running' : launcher.failure() === undefined ? 'starting' : 'failing',
      version: current?.version,
      builtAt: options.builtAt,
      captures,
      restarts: restartsByReason.crashed + restartsByReason.unresponsive,
      restartsByReason: { ...restartsByReason },
    }),
    groups: () => [...alive].map(({ pid }) => pid),
    close: async () => {
      isClosed = true;
      launcher.stop();
      await Promise.allSettled([...alive].map((hosted) => hosted.close()));
      await cleanups.settle();
    },
  };
}

/** Launches in progress, and ended browsers that still remove their files. Only `close` of the host waits for them. */
function createPending() {
  const pending = new Set<Promise<unknown>>();
  return {
    add: (work: Promise<unknown>): void => {
      const settled = work.catch(() => undefined).finally(() => pending.delete(settled));
      pending.add(settled);
    },
    settle: async (): Promise<void> => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

function notStarted({ retryAt, error }: LaunchFailure): ServiceError {
  const seconds = Math.max(1, Math.ceil((retryAt - performance.now()) / 1000));
  const reason = error instanceof TemporaryFolderFullError ? ': its temporary folder is full' : ' at the moment';
  return overloaded(`The browser can't be started${reason}`, seconds);
}

function overloaded(message: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('OverloadedError', message, { retryAfterSeconds });
}
