import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { raceAbort, reasonOf } from '../race.ts';
import { BrowserGoneError } from './browser-errors.ts';
import type { LaunchedBrowser } from './launch.ts';
import { followNetworkService, type NetworkLoss, type NetworkService } from './network-service.ts';
import { openPage, type Page } from './page.ts';
import { closePopups } from './popups.ts';
import { createProbe } from './probe.ts';
import { createRestartCount, type RestartCounts, type RestartReason } from './restart-count.ts';
import { createSteadyLaunch } from './steady-launch.ts';
import { createTurns } from './turns.ts';
import type { OpenPages } from './watchdog.ts';

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
  /** Closes every browser. Idempotent, bounded, does not throw. */
  readonly close: () => Promise<void>;
}

interface HostOptions {
  readonly launch: () => Promise<LaunchedBrowser>;
  /** Captures after which a new browser takes over and the old one closes when its last page is gone. */
  readonly recycleAfter: number;
  /** Looks after a browser from its start until it is gone; says when it kills it for not answering. */
  readonly watch: (browser: LaunchedBrowser, pages: OpenPages, onUnresponsive: () => void) => void;
  readonly log: Logger;
}

interface OpenPage {
  readonly openedAt: number;
  /** Undefined for a page made ahead that waits. */
  takenAt: number | undefined;
}

/** A browser with the pages that it has open. Retired: no new pages, and closed with the last of them. */
interface Tenancy {
  readonly browser: LaunchedBrowser;
  readonly network: NetworkService;
  captures: number;
  /** When each page that is open was opened, oldest first. */
  readonly openPages: Set<OpenPage>;
  retired: boolean;
  unresponsive: boolean;
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
    const network = followNetworkService(browser.pid);
    const tenancy: Tenancy = {
      browser,
      network,
      captures: 0,
      openPages: new Set(),
      retired: false,
      unresponsive: false,
    };
    alive.add(tenancy);
    closePopups(browser.connection, log);
    const { gone } = browser;
    if (gone.aborted) onExit(tenancy);
    else gone.addEventListener('abort', () => onExit(tenancy), { once: true });
    const pages: OpenPages = {
      oldestOpenedAt: () => [...tenancy.openPages][0]?.openedAt,
      oldestTakenAt: () => [...tenancy.openPages].find(({ takenAt }) => takenAt !== undefined)?.takenAt,
    };
    options.watch(browser, pages, () => {
      tenancy.unresponsive = true;
    });
    if (closed) await browser.close();
    return tenancy;
  };

  const onExit = (tenancy: Tenancy): void => {
    alive.delete(tenancy);
    if (closed || tenancy !== current) return;
    current = undefined;
    restarts.add(tenancy.unresponsive ? 'unresponsive' : 'crashed');
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
    if (previous !== undefined) retire(previous);
    for (const listener of replacedListeners) listener();
    log.info({ version: tenancy.browser.version, pid: tenancy.browser.pid }, 'browser ready');
    return tenancy;
  }, log);

  const retire = (tenancy: Tenancy): void => {
    tenancy.retired = true;
    if (tenancy.openPages.size === 0) void tenancy.browser.close();
  };

  const tenancyFor = async (signal: AbortSignal): Promise<Tenancy> => {
    if (closed)
      throw new ServiceError('OverloadedError', 'The service is shutting down', { retryAfterSeconds: 5 });
    if (current !== undefined) return current;
    const { retryAt } = failure() ?? {};
    if (retryAt !== undefined) {
      const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000));
      throw new ServiceError('OverloadedError', 'The browser can not be started at the moment', {
        retryAfterSeconds,
      });
    }
    return await raceAbort(replace(), signal);
  };

  const giveBack = (tenancy: Tenancy, entry: OpenPage): void => {
    tenancy.openPages.delete(entry);
    if (tenancy.retired && tenancy.openPages.size === 0) void tenancy.browser.close();
  };

  // Every page starts a process. Two at a time cost more than one after the other, and go on to be in each other's way: one after
  // the other is 14 % more captures a second at 4 clients (nine photographs, 2 cores, 2026-11-21).
  const inTurn = createTurns(OPENING_MS);

  const open = async (gatePort: number, signal: AbortSignal): Promise<HostedPage> => {
    const tenancy = await tenancyFor(signal);
    const entry: OpenPage = { openedAt: performance.now(), takenAt: undefined };
    tenancy.openPages.add(entry);
    const isNetworkLost = tenancy.network.mark();
    try {
      const page = await inTurn(() => {
        if (signal.aborted) throw reasonOf(signal); // nobody waits for it any more
        return openPage(tenancy.browser, gatePort);
      });
      return {
        ...page,
        isCurrent: () => tenancy === current,
        isNetworkLost,
        begin: () => {
          entry.takenAt = performance.now();
          countCapture(tenancy);
        },
        close: () => closePage(tenancy, page, entry),
      };
    } catch (error) {
      giveBack(tenancy, entry);
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
    tenancy.captures++;
    const isDue = tenancy.captures >= options.recycleAfter && tenancy === current;
    if (isDue) replaceOnce('recycled');
  };

  const closePage = async (tenancy: Tenancy, page: Page, entry: OpenPage): Promise<void> => {
    try {
      await page.close();
    } catch (error) {
      if (!alive.has(tenancy)) return; // its browser is gone, and the page with it
      log.warn({ err: error }, 'a page does not close: retiring its browser');
      if (tenancy === current) replaceOnce('page_stuck');
    } finally {
      giveBack(tenancy, entry);
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
    close: async () => {
      closed = true;
      stop();
      await Promise.allSettled([...alive].map((tenancy) => tenancy.browser.close()));
    },
  };
}
