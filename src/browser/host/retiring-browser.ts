import type { LaunchedBrowser } from '../process/launch.ts';
import { followNetworkService, type NetworkLoss } from '../process/helper-processes.ts';
import type { OpenPages } from '../process/renderer-watch.ts';

/** An open page, as counted by its browser. */
interface CountedPage {
  /** Marks the page as used by a capture. */
  readonly begin: () => void;
  readonly isNetworkLost: NetworkLoss;
  /** Call when the page was closed, or could not be opened. Idempotent. */
  readonly end: () => void;
}

/** A browser and its open pages. */
export interface RetiringBrowser {
  readonly browser: LaunchedBrowser;
  readonly openPages: OpenPages;
  /** Counts a page that is about to be opened. Call it before opening the page. */
  readonly countPage: () => CountedPage;
  /** Captures started in this browser. */
  readonly captures: () => number;
  /** Accepts no new pages, and closes the browser with its last page. */
  readonly retire: () => void;
}

interface OpenPage {
  readonly openedAt: number;
  /** Undefined while the page waits for a capture. */
  takenAt: number | undefined;
}

export function createRetiringBrowser(browser: LaunchedBrowser): RetiringBrowser {
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
