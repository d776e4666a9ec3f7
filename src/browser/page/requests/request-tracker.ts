import type { CDPSession, Protocol } from 'puppeteer';
import { isOfWorker } from '../child-sessions.ts';

/** Requests that stay open, or that the page does not wait for. They don't count for readiness. */
const UNCOUNTED_TYPES = new Set([
  'WebSocket',
  'EventSource',
  'Ping',
  'CSPViolationReport',
  'Preflight',
  'Prefetch',
]);

/**
 * Time after which an unread body counts as complete. Chrome does not report the end of a fetch() until the page has read its body, and
 * many pages never read it.
 */
const UNREAD_MS = 250;
/** Like `UNREAD_MS`, for a body that has arrived completely. */
const UNREAD_WHOLE_MS = 30;
/** Maximum number of requests to an address that does not count as polled. */
const POLL_TIMES = 3;
/**
 * Total time limit for requests to polled addresses. A nearly finished job ends within it, and the capture does not wait for endless
 * polling again.
 */
const POLLS_MS = 1_000;
const MAX_POLLED_LENGTH = 2_000; // longer addresses are not tracked, because they are rarely polled
const MAX_POLLED = 10_000;

export interface RequestTracker {
  /** Follows a session: the page's, or that of a frame in another process or a worker. */
  readonly follow: (session: CDPSession) => void;
  /** Counts a request whose start no session reports, until a session reports its end or `end` is called. */
  readonly begin: (requestId: string) => void;
  readonly end: (requestId: string) => void;
  /** Counts something other than a request as pending, until it is released or given up. `quiet` does not count it. */
  readonly hold: (id: string) => void;
  readonly release: (id: string) => void;
  /** True if the request is in flight, given up or not. */
  readonly has: (requestId: string) => boolean;
  /** True while requests are in flight that were not given up. */
  readonly arePending: () => boolean;
  /** Number of started requests. */
  readonly startedCount: () => number;
  /** Resolves when no request is in flight, except those given up, or when the signal fires. */
  readonly drain: (signal: AbortSignal) => Promise<void>;
  /** Stops waiting for requests that are in flight now. */
  readonly giveUp: () => void;
  /** Resolves when at most `limit` requests have been in flight for `quietMs`, or when the signal fires. */
  readonly quiet: (limit: number, quietMs: number, signal: AbortSignal) => Promise<void>;
}

interface RequestOrigin {
  /** Document of the request. */
  readonly loaderId?: string;
  /** Id of its session, with which it ends at the latest. Undefined for a document, which may end in another session. */
  readonly endsWith?: string | undefined;
}

/** A response body in transfer, in bytes of the network. */
interface Body {
  readonly expected: number;
  readonly received: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Counts the requests of a page. Ids are unique in the browser, so a document request that starts in one session and ends in another is
 * counted once.
 */
export function createRequestTracker(): RequestTracker {
  const inFlight = new Map<string, RequestOrigin>();
  const givenUp = new Set<string>();
  const held = new Set<string>();
  let startedCount = 0;
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const begin = (requestId: string, origin: RequestOrigin = {}): void => {
    inFlight.set(requestId, origin);
    startedCount++;
    changed();
  };
  const end = (requestId: string): void => {
    bodies.forget(requestId);
    polls.end(requestId);
    givenUp.delete(requestId);
    if (inFlight.delete(requestId)) changed();
  };
  const bodies = createBodies(end);
  const polls = createPolls((requestId) => {
    givenUp.add(requestId);
    changed();
  });

  const onEnd = ({ requestId }: { requestId: string }): void => {
    end(requestId);
  };
  const follow = (session: CDPSession): void => {
    // Chrome does not report the end of the requests of a removed frame or an ended worker.
    session.on('Target.detachedFromTarget', ({ sessionId }) => {
      for (const [requestId, { endsWith }] of inFlight) if (endsWith === sessionId) end(requestId);
    });
    session.on('Network.requestWillBeSent', ({ requestId, loaderId, type, request }) => {
      if (UNCOUNTED_TYPES.has(type ?? 'Other') || request.url.startsWith('data:')) return;
      if (isOfWorker(requestId, type)) return;
      if (polls.isPoll(request.url) && !polls.begin(requestId)) givenUp.add(requestId);
      begin(requestId, { loaderId, endsWith: type === 'Document' ? undefined : session.id() });
    });
    session.on('Network.responseReceived', ({ requestId, type, response }) => {
      if (type === 'Fetch' && inFlight.has(requestId)) bodies.begin(requestId, lengthOf(response));
    });
    session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
      bodies.receive(requestId, encodedDataLength);
    });
    // Chrome does not report the end of requests of a replaced document.
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined) return;
      for (const [requestId, { loaderId = '' }] of inFlight) if (loaderId !== frame.loaderId) end(requestId);
    });
    session.on('Network.loadingFinished', onEnd);
    session.on('Network.loadingFailed', onEnd);
    session.on('Network.requestServedFromCache', onEnd);
  };

  const arePending = (): boolean => inFlight.size > givenUp.size || held.size > 0;
  const quiet = async (limit: number, quietMs: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await whenever(listeners, () => inFlight.size <= limit, signal);
      const soon = AbortSignal.any([AbortSignal.timeout(quietMs), signal]);
      await whenever(listeners, () => inFlight.size > limit, soon);
      if (inFlight.size <= limit) return;
    }
  };

  return {
    follow,
    begin: (requestId) => begin(requestId),
    end,
    hold: (id) => {
      held.add(id);
      changed();
    },
    release: (id) => {
      if (held.delete(id)) changed();
    },
    has: (id) => inFlight.has(id),
    arePending,
    startedCount: () => startedCount,
    drain: (signal) => whenever(listeners, () => !arePending(), signal),
    giveUp: () => {
      for (const requestId of inFlight.keys()) givenUp.add(requestId);
      held.clear();
    },
    quiet,
  };
}

/** Finds requests of polled addresses, and gives them up when the time for all of them has passed. */
function createPolls(giveUp: (requestId: string) => void) {
  const requestCounts = new Map<string, number>(); // number of requests by address
  const polls = new Map<string, { readonly startedAt: number; readonly timer: NodeJS.Timeout }>();
  let remainingMs = POLLS_MS;

  return {
    /** Counts a request of the address. */
    isPoll: (url: string): boolean => {
      if (url.length > MAX_POLLED_LENGTH) return false;
      const count = (requestCounts.get(url) ?? 0) + 1;
      if (count > 1 || requestCounts.size < MAX_POLLED) requestCounts.set(url, count);
      return count > POLL_TIMES;
    },
    /** False if no time remains. */
    begin: (requestId: string): boolean => {
      if (polls.has(requestId)) return true; // a redirect of a polled request to another polled address
      if (remainingMs <= 0) return false;
      const timer = setTimeout(giveUp, remainingMs, requestId).unref();
      polls.set(requestId, { startedAt: performance.now(), timer });
      return true;
    },
    end: (requestId: string): void => {
      const poll = polls.get(requestId);
      if (poll === undefined) return;
      clearTimeout(poll.timer);
      polls.delete(requestId);
      remainingMs -= performance.now() - poll.startedAt;
    },
  };
}

/** Ends requests whose body the page does not read, a little after the last bytes, because the page may continue to read. */
function createBodies(end: (requestId: string) => void) {
  const bodies = new Map<string, Body>();
  const endSoon = (requestId: string, expected: number, received: number): void => {
    clearTimeout(bodies.get(requestId)?.timer);
    const timer = setTimeout(end, received >= expected ? UNREAD_WHOLE_MS : UNREAD_MS, requestId).unref();
    bodies.set(requestId, { expected, received, timer });
  };

  return {
    begin: (requestId: string, expected: number): void => endSoon(requestId, expected, 0),
    receive: (requestId: string, bytes: number): void => {
      const body = bodies.get(requestId);
      if (body !== undefined) endSoon(requestId, body.expected, body.received + bytes);
    },
    forget: (requestId: string): void => {
      clearTimeout(bodies.get(requestId)?.timer);
      bodies.delete(requestId);
    },
  };
}

/** Infinity if the length is not declared, because the end is unknown then. */
function lengthOf({ headers }: Protocol.Network.Response): number {
  const [, length] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-length') ?? [];
  return length === undefined ? Infinity : Number(length);
}

/** Resolves when the condition holds, checked at each change, or when the signal fires. */
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
