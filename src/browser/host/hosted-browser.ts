import type { LaunchedBrowser } from '../process/launch.ts';
import { followNetworkService, type NetworkLoss } from '../process/helper-processes.ts';
import type { OpenPages } from '../process/renderer-watch.ts';

/** A page as its browser counts it. */
interface CountedPage {
  /** The page is taken for a capture. */
  readonly begin: () => void;
  readonly isNetworkLost: NetworkLoss;
  /** The page is gone, or never came. Idempotent. */
  readonly end: () => void;
}

/** A browser with the pages that it has open. */
export interface HostedBrowser {
  readonly browser: LaunchedBrowser;
  readonly openPages: OpenPages;
  /** To be called before the page is opened. */
  readonly countPage: () => CountedPage;
  /** Captures begun in this browser. */
  readonly captures: () => number;
  /** No new pages, and closed with the last of them. */
  readonly retire: () => void;
}

interface OpenPage {
  readonly openedAt: number;
  /** Undefined for a page made ahead that waits. */
  takenAt: number | undefined;
}

export function createHostedBrowser(browser: LaunchedBrowser): HostedBrowser {
  const network = followNetworkService(browser.pid);
  const open = new Set<OpenPage>(); // oldest first
  let captures = 0;
  let isRetired = false;

  const closeIfDone = (): void => {
    if (isRetired && open.size === 0) void browser.close();
  };

  return {
    browser,
    openPages: {
      oldestOpenedAt: () => [...open][0]?.openedAt,
      oldestTakenAt: () => [...open].find(({ takenAt }) => takenAt !== undefined)?.takenAt,
    },
    countPage: () => {
      const entry: OpenPage = { openedAt: performance.now(), takenAt: undefined };
      open.add(entry);
      return {
        begin: () => {
          entry.takenAt = performance.now();
          captures++;
        },
        isNetworkLost: network.mark(),
        end: () => {
          open.delete(entry);
          closeIfDone();
        },
      };
    },
    captures: () => captures,
    retire: () => {
      isRetired = true;
      closeIfDone();
    },
  };
}
