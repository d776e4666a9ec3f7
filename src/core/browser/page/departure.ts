import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import { cancelRefresh, followReloads, type Intercept } from './refreshes.ts';

/**
 * Time from the request of a navigation to its first request. A page whose policy forbids the target of a form, or that
 * cancels the navigation, never makes one, and no event reports it.
 */
const START_MS = 300;

/** Whether the main frame is about to leave its document. */
export interface Departure {
  readonly isPending: () => boolean;
  /** Settles when a pending navigation ends without a document. Race it. */
  readonly stays: () => Promise<void>;
  /** Ends a pending navigation: there is no document. */
  readonly stay: () => void;
  /** Allows refreshes and reloads once more, because the request itself causes them. */
  readonly reset: () => void;
  /** Ends a pending navigation: its document is there. */
  readonly arrive: () => void;
}

interface Options {
  readonly session: CDPSession;
  readonly frameId: string;
  /** The address of the present document. */
  readonly address: () => string | undefined;
  /** True if the present document is no error page. */
  readonly isGood: () => boolean;
  readonly block: Intercept;
  /** Called when a requested navigation has not begun. */
  readonly onRefused: () => void;
}

/** Follows the navigations that the main frame announces. */
export function followDeparture({ session, frameId, address, isGood, block, onRefused }: Options): Departure {
  const refreshes = followReloads(session, { frameId, address, isGood, block });
  let scheduled = false;
  let requested = false;
  /** True once the requested navigation has sent its request. */
  let hasBegun = false;
  /** True once a navigation of this document has not begun. It may request more without end. */
  let isRefused = false;
  let isWatched = false;
  let staying = Promise.withResolvers<void>();

  const stay = (): void => {
    scheduled = false;
    requested = false;
    staying.resolve();
    staying = Promise.withResolvers();
  };
  /** A busy page answers, and begins its navigation, after its present task. */
  const begins = async (): Promise<boolean> => {
    for (let look = 0; look < 2; look++) {
      await delay(START_MS, undefined, { ref: false });
      if (hasBegun || !requested) return true;
      await session.send('Runtime.evaluate', { expression: '0' }).catch(() => undefined); // the page is lost
    }
    return hasBegun || !requested;
  };
  const watch = async (): Promise<void> => {
    if (isWatched) return;
    isWatched = true;
    isRefused = !(await begins());
    isWatched = false;
    if (!isRefused) return;
    stay();
    onRefused();
  };

  session.on('Network.requestWillBeSent', ({ type, frameId: requester }) => {
    if (type !== 'Document' || requester !== frameId) return;
    hasBegun = true;
    if (isRefused) requested = true;
  });
  const begin = (): void => {
    requested = true;
    hasBegun = false;
    void watch();
  };
  session.on('Page.frameRequestedNavigation', (request) => {
    if (request.frameId !== frameId || request.disposition !== 'currentTab' || isRefused) return;
    if (request.reason === 'formSubmissionPost' || !refreshes.isHeld(request.url, address())) begin();
  });
  session.on('Page.frameScheduledNavigation', (navigation) => {
    if (navigation.frameId !== frameId || isRefused) return;
    const plan = refreshes.plan(navigation, address());
    if (plan === 'follow') scheduled = true;
    if (plan === 'cancel') void cancelRefresh(session);
    if (plan !== 'reload') return;
    begin();
    refreshes.keepGood();
    session.send('Page.reload').catch(() => undefined); // the page is lost
  });
  session.on('Page.frameClearedScheduledNavigation', ({ frameId: leaver }) => {
    if (leaver === frameId && scheduled && !requested) stay();
  });

  return {
    isPending: () => scheduled || requested,
    stays: () => staying.promise,
    stay,
    reset: refreshes.reset,
    arrive: () => {
      scheduled = false;
      requested = false;
      isRefused = false;
    },
  };
}
