import type { Connection } from 'puppeteer';
import type { LaunchedBrowser } from '../process/launch.ts';
import { abortReason, withTimeout } from '../../timeouts.ts';
import { createMutex } from '../../mutex.ts';
import type { GatePorts } from '../../egress/gate/gate.ts';
import { BrowserClosedError } from '../browser-errors.ts';
import { openPage } from '../page/open-page.ts';
import type { Page, Window } from '../page/page.ts';
import type { NetworkLoss } from '../process/helper-processes.ts';
import { createCurrentBrowser, type CurrentBrowserOptions, type RestartReason } from './current-browser.ts';
import type { RetiringBrowser } from './retiring-browser.ts';

const OPENING_MS = 1_000; // opening a page usually takes 50 to 150 ms

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

/** A page and its relation to its browser. */
export interface HostedPage extends Page {
  /** False once another browser has taken over. */
  readonly isCurrent: () => boolean;
  /** Counts the capture of this page. A page that was prepared ahead of time is counted from here. */
  readonly begin: () => void;
  /**
   * True if the browser lost its connections after this page was opened: the page may be incomplete, or never finish.
   */
  readonly isNetworkLost: NetworkLoss;
  /**
   * Set by `close` if the page could not be closed and may still run: resolves when its browser has ended. Undefined if
   * the page is closed.
   */
  readonly lateEnd: () => Promise<void> | undefined;
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

interface HostOptions extends CurrentBrowserOptions {
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

/** Opens pages in the current browser, and replaces the browser when it is due or when a page does not close. */
export function createBrowserHost(options: HostOptions): BrowserHost {
  const { log } = options;
  const browsers = createCurrentBrowser(options);
  let captures = 0;

  // Every page starts a process. Opening pages one after the other gives 14 % more captures a second than two at a
  // time, at 4 clients (nine photographs, 2 cores, 2026-11-21).
  const serialized = createMutex(OPENING_MS);

  const isDue = (hosted: RetiringBrowser): boolean =>
    hosted.captures() >= options.recycleAfter ||
    (hosted.captures() % CHECK_EVERY === 0 && options.holdsTooMuch(hosted.browser));

  const openIn = async (hosted: RetiringBrowser, gate: GatePorts): Promise<HostedPage> => {
    const counted = hosted.countPage();
    try {
      const page = await openPage(hosted.browser, {
        gate,
        window: options.window,
        wrapsFrameCallbacks: true,
      });
      let lateEnd: Promise<void> | undefined;
      return {
        ...page,
        isCurrent: () => hosted === browsers.peek(),
        isNetworkLost: counted.isNetworkLost,
        begin: () => {
          counted.begin();
          captures++;
          if (hosted === browsers.peek() && isDue(hosted)) browsers.replace('recycled');
        },
        close: async () => {
          if (!(await closePage(hosted, page))) lateEnd = hosted.browser.cleaned;
          counted.end();
        },
        lateEnd: () => lateEnd,
      };
    } catch (error) {
      counted.end();
      throw new BrowserClosedError('the browser opened no page', { cause: error });
    }
  };

  /** False if the page did not close. */
  const closePage = async (hosted: RetiringBrowser, page: Page): Promise<boolean> => {
    try {
      await page.close();
      return true;
    } catch (error) {
      if (!browsers.alive().has(hosted)) return true; // the browser has ended, and its pages with it
      log.warn({ err: error }, 'a page did not close: replacing its browser');
      if (hosted === browsers.peek()) browsers.replace('page_stuck');
      return false;
    }
  };

  return {
    start: async () => {
      await browsers.start();
    },
    openPage: async (gate, signal) => {
      await browsers.get(signal); // outside the mutex: waiting for a browser must not block other clients
      return await serialized(async () => {
        const hosted = await browsers.get(signal);
        if (signal.aborted) throw abortReason(signal); // the client has disconnected
        return await openIn(hosted, gate);
      });
    },
    onReplaced: browsers.onReplaced,
    isResponsive: createProbe(() => browsers.peek()?.browser.connection),
    state: () => {
      const restartsByReason = browsers.restarts();
      return {
        state: browsers.peek() !== undefined ? 'running' : browsers.isFailing() ? 'failing' : 'starting',
        version: browsers.peek()?.browser.version,
        builtAt: options.builtAt,
        captures,
        restarts: restartsByReason.crashed + restartsByReason.unresponsive,
        restartsByReason,
      };
    },
    groups: () => [...browsers.alive()].map(({ browser }) => browser.pid),
    close: browsers.close,
  };
}

const TIMEOUT_MS = 2_000;
const MAX_AGE_MS = 1_000; // probes must not pile up

/**
 * Returns a function that tells whether the browser answers a cheap call within two seconds. The result is cached for
 * one second.
 * @param connection connection of the browser. Undefined without a browser, which counts as not responsive
 */
export function createProbe(connection: () => Connection | undefined): () => Promise<boolean> {
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  return () => {
    if (last === undefined || performance.now() - last.at > MAX_AGE_MS)
      last = { at: performance.now(), answer: probeBrowser(connection()) };
    return last.answer;
  };
}

async function probeBrowser(connection: Connection | undefined): Promise<boolean> {
  if (connection === undefined) return false;
  try {
    await withTimeout(connection.send('Browser.getVersion'), TIMEOUT_MS, () => new Error('no answer'));
    return true;
  } catch {
    return false; // counts as not responsive
  }
}
