import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { raceAbort, reasonOf } from '../../timeouts.ts';
import { BrowserGoneError } from '../browser-errors.ts';
import type { LaunchedBrowser } from '../process/launch.ts';
import type { NetworkLoss } from '../process/helper-processes.ts';
import type { GatePorts } from '../../egress/gate/gate.ts';
import { openPage } from '../page/open-page.ts';
import type { Page, Window } from '../page/page.ts';
import { closePopups } from './popups.ts';
import { createProbe } from './probe.ts';
import { createSteadyLaunch } from './steady-launch.ts';
import { createHostedBrowser, type HostedBrowser } from './hosted-browser.ts';
import { createTurns } from '../../turns.ts';
import type { OpenPages } from '../process/watchdog.ts';

const OPENING_MS = 1_000; // 50 to 150 are usual

/** Why a browser was replaced by another. */
export const RESTART_REASONS = ['crashed', 'unresponsive', 'page_stuck', 'recycled'] as const;
type RestartReason = (typeof RESTART_REASONS)[number];

export interface BrowserState {
  readonly state: 'starting' | 'running' | 'failing';
  readonly version: string | undefined;
  /** Captures begun, and unplanned replacements, since the service started. */
  readonly captures: number;
  readonly restarts: number;
  /** Planned ones too. */
  readonly restartsByReason: Readonly<Record<RestartReason, number>>;
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
  readonly openPage: (gate: GatePorts, signal: AbortSignal) => Promise<HostedPage>;
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
  const alive = new Set<HostedBrowser>();
  const replacedListeners: (() => void)[] = [];
  let current: HostedBrowser | undefined;
  let closed = false;
  let captures = 0;
  const restarts: Record<RestartReason, number> = { crashed: 0, unresponsive: 0, page_stuck: 0, recycled: 0 };

  const launchOne = async (): Promise<HostedBrowser> => {
    const browser = await options.launch();
    const hosted = createHostedBrowser(browser);
    alive.add(hosted);
    closePopups(browser.connection, log);
    const onGone = (): void => {
      alive.delete(hosted);
      onLost(hosted, 'crashed');
    };
    if (browser.gone.aborted) onGone();
    else browser.gone.addEventListener('abort', onGone, { once: true });
    options.watch(browser, hosted.openPages, () => onLost(hosted, 'unresponsive'));
    if (closed) await browser.close();
    return hosted;
  };

  /** The first reason counts: what comes after it follows from it. */
  const onLost = (hosted: HostedBrowser, reason: RestartReason): void => {
    if (closed || hosted !== current) return;
    current = undefined;
    restarts[reason]++;
    log.warn({ pid: hosted.browser.pid }, 'the browser is gone: starting another');
    void replace();
  };

  const {
    launch: replace,
    isLaunching,
    failure,
    stop,
  } = createSteadyLaunch(async () => {
    const hosted = await launchOne();
    const previous = current;
    current = hosted;
    previous?.retire();
    for (const listener of replacedListeners) listener();
    log.info({ version: hosted.browser.version, pid: hosted.browser.pid }, 'browser ready');
    return hosted;
  }, log);

  const hostedFor = async (signal: AbortSignal): Promise<HostedBrowser> => {
    if (closed)
      throw new ServiceError('OverloadedError', 'The service is shutting down', { retryAfterSeconds: 5 });
    const hosted = current;
    if (hosted?.browser.hasLostPageStarters() === false) return hosted;
    if (hosted !== undefined) {
      onLost(hosted, 'crashed');
      hosted.browser.kill();
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

  const open = async (gate: GatePorts, signal: AbortSignal): Promise<HostedPage> => {
    await hostedFor(signal); // before the turn: to wait for a browser keeps nobody else
    return await inTurn(async () => {
      const hosted = await hostedFor(signal);
      if (signal.aborted) throw reasonOf(signal); // nobody waits for it any more
      return await openIn(hosted, gate);
    });
  };

  const openIn = async (hosted: HostedBrowser, gate: GatePorts): Promise<HostedPage> => {
    const counted = hosted.countPage();
    try {
      const page = await openPage(hosted.browser, { gate, window: options.window });
      return {
        ...page,
        isCurrent: () => hosted === current,
        isNetworkLost: counted.isNetworkLost,
        begin: () => {
          counted.begin();
          countCapture(hosted);
        },
        close: async () => {
          await closePage(hosted, page);
          counted.end();
        },
      };
    } catch (error) {
      counted.end();
      throw new BrowserGoneError('the browser gave no page', { cause: error });
    }
  };

  const replaceOnce = (reason: RestartReason): void => {
    if (isLaunching()) return;
    restarts[reason]++;
    void replace();
  };

  const countCapture = (hosted: HostedBrowser): void => {
    captures++;
    const isDue = hosted.captures() >= options.recycleAfter && hosted === current;
    if (isDue) replaceOnce('recycled');
  };

  const closePage = async (hosted: HostedBrowser, page: Page): Promise<void> => {
    try {
      await page.close();
    } catch (error) {
      if (!alive.has(hosted)) return; // its browser is gone, and the page with it
      log.warn({ err: error }, 'a page does not close: retiring its browser');
      if (hosted === current) replaceOnce('page_stuck');
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
      restarts: restarts.crashed + restarts.unresponsive,
      restartsByReason: { ...restarts },
    }),
    groups: () => [...alive].map(({ browser }) => browser.pid),
    close: async () => {
      closed = true;
      stop();
      await Promise.allSettled([...alive].map((hosted) => hosted.browser.close()));
    },
  };
}
