import type { CDPSession } from 'puppeteer';

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

export interface RequestTracker {
  /** Follows one more protocol session: the page's, and one for each frame in a process of its own. */
  readonly follow: (session: CDPSession) => void;
  /** The requests that are in flight. */
  readonly pending: () => ReadonlySet<string>;
  /** Resolves when the requests that are in flight now, but for those `known`, have ended, however they end, or when the signal fires. */
  readonly drain: (known: ReadonlySet<string>, signal: AbortSignal) => Promise<void>;
  /** Resolves once at most `limit` requests have been in flight for `quietMs`, or when the signal fires. */
  readonly quiet: (limit: number, quietMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Counts a page's requests. Ids are unique over the whole browser, so that a document request which starts in one
 * session and ends in that of another process is counted once.
 */
export function createRequestTracker(): RequestTracker {
  const inFlight = new Map<string, string>(); // the document (loader) that each belongs to
  const unread = new Map<string, NodeJS.Timeout>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const end = (requestId: string): void => {
    clearTimeout(unread.get(requestId));
    unread.delete(requestId);
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
      if (type !== 'Document' && !isOfRenderer(requestId)) return;
      inFlight.set(requestId, loaderId);
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

  const pending = (): Set<string> => new Set(inFlight.keys());
  const drain = async (known: ReadonlySet<string>, signal: AbortSignal): Promise<void> => {
    const waitingFor = pending().difference(known);
    await whenever(listeners, () => waitingFor.isDisjointFrom(inFlight), signal);
  };

  const quiet = async (limit: number, quietMs: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await whenever(listeners, () => inFlight.size <= limit, signal);
      const soon = AbortSignal.any([AbortSignal.timeout(quietMs), signal]);
      await whenever(listeners, () => inFlight.size > limit, soon);
      if (inFlight.size <= limit) return;
    }
  };

  return { follow, pending, drain, quiet };
}

/**
 * Renderers number their requests `process.count`. What the browser process loads itself, such as the script of a worker, has a
 * token for an id and ends in the worker's own session, which nobody follows.
 */
function isOfRenderer(requestId: string): boolean {
  return requestId.includes('.');
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
