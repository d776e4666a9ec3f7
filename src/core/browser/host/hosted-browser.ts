import type { Connection } from 'puppeteer';
import type { Logger } from '../../ground/log.ts';
import { withTimeout } from '../../ground/timeouts.ts';
import type { GatePorts } from '../../egress/gate/gate.ts';
import { BrowserClosedError } from '../browser-errors.ts';
import { attachTo, openPage } from '../page/open-page.ts';
import type { Page, Tabs } from '../page/page.ts';
import type { Window } from '../page/screen.ts';
import { followNetworkService, type NetworkLoss } from '../process/helper-processes.ts';
import type { LaunchedBrowser } from '../process/launch.ts';
import type { OpenPages } from '../process/renderer-watch.ts';

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

/** A browser and its open pages. */
export interface HostedBrowser extends LaunchedBrowser {
  readonly openPages: OpenPages;
  /**
   * Opens a page in a new context, whose connections go to the gate at these ports. The caller closes it.
   * @throws BrowserClosedError
   */
  readonly openPage: (gate: GatePorts) => Promise<HostedPage>;
  /** Captures started in this browser. */
  readonly captures: () => number;
  /** True if the browser answers a cheap call within two seconds. Cached for one second. */
  readonly isResponsive: () => Promise<boolean>;
  /** Accepts no new pages, and closes the browser with its last page. */
  readonly retire: () => void;
}

interface OpenPage {
  readonly openedAt: number;
  /** Undefined while the page waits for a capture. */
  takenAt: number | undefined;
}

interface HostingOptions {
  /** Window of every new page. */
  readonly window: Window;
  readonly isCurrent: () => boolean;
  /** Called when a capture starts in a page. */
  readonly onBegin: () => void;
  /** Called when a page did not close. */
  readonly onStuck: () => void;
  readonly log: Logger;
}

export function hostBrowser(browser: LaunchedBrowser, options: HostingOptions): HostedBrowser {
  const { isCurrent, log } = options;
  const network = followNetworkService(browser.pid);
  const open = new Set<OpenPage>(); // oldest first
  let captures = 0;
  let isRetired = false;
  const openTabBeside = closePopups(browser.connection, log);

  /** False if the page did not close. */
  const closePage = async (page: Page): Promise<boolean> => {
    try {
      await page.close();
      return true;
    } catch (error) {
      if (browser.ended.aborted) return true; // its pages have ended with it
      log.warn({ err: error }, 'a page did not close: replacing its browser');
      options.onStuck();
      return false;
    }
  };
  const closeIfDone = (): void => {
    if (isRetired && open.size === 0) void browser.close();
  };

  return {
    ...browser,
    openPages: {
      oldestOpenedAt: () => [...open][0]?.openedAt,
      oldestTakenAt: () => [...open].find(({ takenAt }) => takenAt !== undefined)?.takenAt,
    },
    openPage: async (gate) => {
      const entry: OpenPage = { openedAt: performance.now(), takenAt: undefined };
      const isNetworkLost = network.mark();
      open.add(entry);
      const end = (): void => {
        open.delete(entry);
        closeIfDone();
      };
      try {
        const page = await openPage(
          { ...browser, openTabBeside },
          { gate, window: options.window, wrapsFrameCallbacks: true },
        );
        let lateEnd: Promise<void> | undefined;
        return {
          ...page,
          isCurrent,
          isNetworkLost,
          begin: () => {
            entry.takenAt = performance.now();
            captures++;
            options.onBegin();
          },
          close: async () => {
            if (!(await closePage(page))) lateEnd = browser.cleaned;
            end();
          },
          lateEnd: () => lateEnd,
        };
      } catch (error) {
        end();
        throw new BrowserClosedError('the browser opened no page', { cause: error });
      }
    },
    captures: () => captures,
    isResponsive: createProbe(browser.connection),
    retire: () => {
      isRetired = true;
      closeIfDone();
    },
  };
}

const PROBE_LIMIT_MS = 2_000;
const PROBE_AGE_MS = 1_000; // probes must not pile up

/** Returns a function that tells whether the browser answers a cheap call. */
export function createProbe(connection: Pick<Connection, 'send'>): () => Promise<boolean> {
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined;
  const probe = (): Promise<boolean> =>
    withTimeout(connection.send('Browser.getVersion'), PROBE_LIMIT_MS, () => new Error('no answer')).then(
      () => true,
      () => false,
    );
  return () => {
    if (last === undefined || performance.now() - last.at > PROBE_AGE_MS)
      last = { at: performance.now(), answer: probe() };
    return last.answer;
  };
}

/**
 * Closes every tab that a page opens. Each context has one tab. Headless shell blocks popups by a flag; full Chrome
 * allows them after a click, and a page can click itself.
 * @returns a function that opens a second tab of our own
 */
function closePopups(connection: Connection, log: Logger): Tabs['openTabBeside'] {
  const firstTab = new Map<string, string>();
  const expected = new Set<string>(); // contexts whose next tab is ours
  connection.on('Target.targetCreated', ({ targetInfo: { type, targetId, browserContextId } }) => {
    if (type !== 'page' || browserContextId === undefined) return;
    const first = firstTab.get(browserContextId) ?? targetId;
    firstTab.set(browserContextId, first);
    if (first === targetId || expected.delete(browserContextId)) return;
    connection.send('Target.closeTarget', { targetId }).catch((error: unknown) => {
      log.debug({ err: error }, 'the popup was already closed');
    });
  });
  connection.on('Target.targetDestroyed', ({ targetId }) => {
    for (const [context, first] of firstTab) if (first === targetId) firstTab.delete(context);
  });
  return async (browserContextId) => {
    expected.add(browserContextId);
    try {
      const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank', browserContextId });
      return await attachTo(connection, targetId);
    } finally {
      expected.delete(browserContextId);
    }
  };
}
