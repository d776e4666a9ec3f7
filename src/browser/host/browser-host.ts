import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { raceAbort, reasonOf } from '../../timeouts.ts';
import { BrowserGoneError } from '../browser-errors.ts';
import type { LaunchedBrowser } from '../process/launch.ts';
import type { NetworkLoss } from '../process/network-service.ts';
import { openPage } from '../page/open-page.ts';
import type { Page, Window } from '../page/page.ts';
import { closePopups } from './popups.ts';
import { createProbe } from './probe.ts';
import { createRestartCount, type RestartCounts, type RestartReason } from './restart-count.ts';
import { createSteadyLaunch } from './steady-launch.ts';
import { createTenancy, type Tenancy } from './hosted-browser.ts';
import { createTurns } from './turns.ts';
import type { OpenPages } from '../process/watchdog.ts';

const OPENING_MS = 1_000; // 50 to 150 are usual

export interface BrowserState {
  readonly state: 'starting' | 'running' | 'failing';
  readonly version: string | undefined;
  /** Captures begun, and unplanned replacements, since the service started. */
  readonly captures: number;
  readonly restarts: number;
  /** Planned ones too. */
  readonly restartsByReason: RestartCounts;
}

/** A page, with its standing in the host. */
export interface HostedPage extends Page {
  /** False once another browser has taken over. */
  readonly isCurrent: () => boolean;
  /** Counts a capture; a page made ahead is none yet. */
  readonly begin: () => void;
  /** True when the browser has lost its connections since this page was opened: it may have half of what it should, or never get any. */
  readonly isNetworkLost: NetworkLoss;
}

export interface BrowserHost {
  /** Starts the first browser; resolves when it is up. Later failures are retried in the background. */
  readonly start: () => Promise<void>;
  /**
   * A page in a fresh context of the current browser, waiting for one that is starting; its connections go to the gate at
   * this port. The caller closes it.
   * @throws ServiceError OverloadedError at once while no browser can be started.
   * @throws BrowserGoneError when the browser goes away meanwhile.
   */
  readonly openPage: (gatePort: number, signal: AbortSignal) => Promise<HostedPage>;
  /** Calls the listener whenever another browser has taken over. */
  readonly onReplaced: (listener: () => void) => void;
  /** True when the browser answers a cheap call; at most two seconds, cached for one. */
  readonly isResponsive: () => Promise<boolean>;
  readonly state: () => BrowserState;
  /** The process groups of the browsers that run. */
  readonly groups: () => readonly number[];
  /** Closes every browser. Idempotent, bounded, does not throw. */
  readonly close: () => Promise<void>;
}

interface HostOptions {
  readonly launch: () => Promise<LaunchedBrowser>;
  /** Of every page when it is opened. */
  readonly window: Window;
  /** Captures after which a new browser takes over and the old one closes when its last page is gone. */
  readonly recycleAfter: number;
  /** Looks after a browser from its start until it is gone; says when it kills it for not answering. */
  readonly watch: (browser: LaunchedBrowser, pages: OpenPages, onUnresponsive: () => void) => void;
  readonly log: Logger;
}

/** Keeps one browser running: replaces it when it dies, when it misbehaves, and after a number of captures. */
export function createBrowserHost(options: HostOptions): BrowserHost {
  const { log } = options;
  const alive = new Set<Tenancy>();
  const replacedListeners: (() => void)[] = [];
  let current: Tenancy | undefined;
  let closed = false;
  let captures = 0;
  const restarts = createRestartCount();

  const launchOne = async (): Promise<Tenancy> => {
    const browser = await options.launch();
    const tenancy = createTenancy(browser);
    alive.add(tenancy);
    closePopups(browser.connection, log);
    const onGone = (): void => {
      alive.delete(tenancy);
      onLost(tenancy, 'crashed');
    };
    if (browser.gone.aborted) onGone();
    else browser.gone.addEventListener('abort', onGone, { once: true });
    options.watch(browser, tenancy.openPages, () => onLost(tenancy, 'unresponsive'));
    if (closed) await browser.close();
    return tenancy;
  };

  /** The first reason counts: what comes after it follows from it. */
  const onLost = (tenancy: Tenancy, reason: RestartReason): void => {
    if (closed || tenancy !== current) return;
    current = undefined;
    restarts.add(reason);
    log.warn({ pid: tenancy.browser.pid }, 'the browser is gone: starting another');
    void replace();
  };

  const {
    launch: replace,
    isLaunching,
    failure,
    stop,
  } = createSteadyLaunch(async () => {
    const tenancy = await launchOne();
    const previous = current;
    current = tenancy;
    previous?.retire();
    for (const listener of replacedListeners) listener();
    log.info({ version: tenancy.browser.version, pid: tenancy.browser.pid }, 'browser ready');
    return tenancy;
  }, log);

  const tenancyFor = async (signal: AbortSignal): Promise<Tenancy> => {
    if (closed)
      throw new ServiceError('OverloadedError', 'The service is shutting down', { retryAfterSeconds: 5 });
    const tenancy = current;
    if (tenancy?.browser.hasLostPageStarters() === false) return tenancy;
    if (tenancy !== undefined) {
      onLost(tenancy, 'crashed');
      tenancy.browser.kill();
    }
    const { retryAt } = failure() ?? {};
    if (retryAt !== undefined) {
      const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000));
      throw new ServiceError('OverloadedError', 'The browser can not be started at the moment', {
        retryAfterSeconds,
      });
    }
    return await raceAbort(replace(), signal);
  };

  // Every page starts a process. Two at a time cost more than one after the other, and go on to be in each other's way: one after
  // the other is 14 % more captures a second at 4 clients (nine photographs, 2 cores, 2026-11-21).
  const inTurn = createTurns(OPENING_MS);

  const open = async (gatePort: number, signal: AbortSignal): Promise<HostedPage> => {
    await tenancyFor(signal); // before the turn: to wait for a browser keeps nobody else
    return await inTurn(async () => {
      const tenancy = await tenancyFor(signal);
      if (signal.aborted) throw reasonOf(signal); // nobody waits for it any more
      return await openIn(tenancy, gatePort);
    });
  };

  const openIn = async (tenancy: Tenancy, gatePort: number): Promise<HostedPage> => {
    const stay = tenancy.enter();
    try {
      const page = await openPage(tenancy.browser, { gatePort, window: options.window });
      return {
        ...page,
        isCurrent: () => tenancy === current,
        isNetworkLost: stay.isNetworkLost,
        begin: () => {
          stay.begin();
          countCapture(tenancy);
        },
        close: async () => {
          await closePage(tenancy, page);
          stay.end();
        },
      };
    } catch (error) {
      stay.end();
      throw new BrowserGoneError('the browser gave no page', { cause: error });
    }
  };

  const replaceOnce = (reason: RestartReason): void => {
    if (isLaunching()) return;
    restarts.add(reason);
    void replace();
  };

  const countCapture = (tenancy: Tenancy): void => {
    captures++;
    const isDue = tenancy.captures() >= options.recycleAfter && tenancy === current;
    if (isDue) replaceOnce('recycled');
  };

  const closePage = async (tenancy: Tenancy, page: Page): Promise<void> => {
    try {
      await page.close();
    } catch (error) {
      if (!alive.has(tenancy)) return; // its browser is gone, and the page with it
      log.warn({ err: error }, 'a page does not close: retiring its browser');
      if (tenancy === current) replaceOnce('page_stuck');
    }
  };

  return {
    start: async () => {
      await replace();
    },
    openPage: open,
    onReplaced: (listener) => {
      replacedListeners.push(listener);
    },
    isResponsive: createProbe(() => current?.browser.connection),
    state: () => ({
      state: current !== undefined ? 'running' : failure() !== undefined ? 'failing' : 'starting',
      version: current?.browser.version,
      captures,
      restarts: restarts.byReason().crashed + restarts.byReason().unresponsive,
      restartsByReason: restarts.byReason(),
    }),
    groups: () => [...alive].map(({ browser }) => browser.pid),
    close: async () => {
      closed = true;
      stop();
      await Promise.allSettled([...alive].map((tenancy) => tenancy.browser.close()));
    },
  };
}
