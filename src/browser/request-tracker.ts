import type { CDPSession } from 'puppeteer-core';
import { isOfWorker } from './child-sessions.ts';

/** Requests that stay open, or that nothing on the page waits for: they say nothing about readiness. */
const UNCOUNTED_TYPES = new Set([
  'WebSocket',
  'EventSource',
  'Ping',
  'CSPViolationReport',
  'Preflight',
  'Prefetch',
]);

/** Chrome does not say that a fetch() has ended until the page has read its body, and many pages never do. */
const UNREAD_MS = 250;

/** An address that is asked for more often is a poll, and one that begins again as soon as it ends would be waited for without end. */
const POLL_TIMES = 3;

export interface RequestTracker {
  /** Follows one more protocol session: the page's, and one for each frame in a process of its own. */
  readonly follow: (session: CDPSession) => void;
  /** True while requests are in flight that were not given up. */
  readonly arePending: () => boolean;
  /** How many requests have begun. */
  readonly begun: () => number;
  /** Resolves when no request is in flight, but for those that were given up, or when the signal fires. */
  readonly drain: (signal: AbortSignal) => Promise<void>;
  /** What is in flight now is not waited for any more. */
  readonly giveUp: () => void;
  /** Resolves once at most `limit` requests have been in flight for `quietMs`, or when the signal fires. */
  readonly quiet: (limit: number, quietMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Counts a page's requests. Ids are unique over the whole browser, so that a document request which starts in one
 * session and ends in that of another process is counted once.
 */
export function createRequestTracker(): RequestTracker {
  const inFlight = new Map<string, string>(); // the document (loader) that each belongs to
  const givenUp = new Set<string>();
  const askedFor = new Map<string, number>(); // addresses, and how often
  let begun = 0;
  const unread = new Map<string, NodeJS.Timeout>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const end = (requestId: string): void => {
    clearTimeout(unread.get(requestId));
    unread.delete(requestId);
    givenUp.delete(requestId);
    if (inFlight.delete(requestId)) changed();
  };
  /** Counts on for a while: the page may be about to read on. */
  const endIfUnread = (requestId: string): void => {
    clearTimeout(unread.get(requestId));
    const timer = setTimeout(() => {
      end(requestId);
    }, UNREAD_MS);
    unread.set(requestId, timer.unref());
  };

  const onEnd = ({ requestId }: { requestId: string }): void => {
    end(requestId);
  };

  const follow = (session: CDPSession): void => {
    session.on('Network.requestWillBeSent', ({ requestId, loaderId, type, request }) => {
      if (UNCOUNTED_TYPES.has(type ?? 'Other') || request.url.startsWith('data:')) return;
      if (isOfWorker(requestId, type)) return;
      inFlight.set(requestId, loaderId);
      begun++;
      const times = (askedFor.get(request.url) ?? 0) + 1;
      askedFor.set(request.url, times);
      if (times > POLL_TIMES) givenUp.add(requestId);
      changed();
    });
    session.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Fetch' && inFlight.has(requestId)) endIfUnread(requestId);
    });
    session.on('Network.dataReceived', ({ requestId }) => {
      if (unread.has(requestId)) endIfUnread(requestId);
    });
    // Of the requests of a document that is replaced, nobody says how they end.
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined) return;
      for (const [requestId, loaderId] of inFlight) if (loaderId !== frame.loaderId) end(requestId);
    });
    session.on('Network.loadingFinished', onEnd);
    session.on('Network.loadingFailed', onEnd);
    session.on('Network.requestServedFromCache', onEnd);
  };

  const arePending = (): boolean => inFlight.size > givenUp.size;
  const drain = async (signal: AbortSignal): Promise<void> => {
    await whenever(listeners, () => !arePending(), signal);
  };
  const giveUp = (): void => {
    for (const requestId of inFlight.keys()) givenUp.add(requestId);
  };

  const quiet = async (limit: number, quietMs: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await whenever(listeners, () => inFlight.size <= limit, signal);
      const soon = AbortSignal.any([AbortSignal.timeout(quietMs), signal]);
      await whenever(listeners, () => inFlight.size > limit, soon);
      if (inFlight.size <= limit) return;
    }
  };

  return { follow, arePending, begun: () => begun, drain, giveUp, quiet };
}

/** Resolves as soon as the condition holds, checked at each change, or when the signal fires. */
function whenever(listeners: Set<() => void>, holds: () => boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!holds() && !signal.aborted) return;
      listeners.delete(check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    listeners.add(check);
    signal.addEventListener('abort', check);
    check();
  });
}
