import type { CDPSession, Protocol } from 'puppeteer';
import { isOfWorker } from '../child-sessions.ts';
import { createPolls } from './polled-addresses.ts';
import { createSilence, type KnownRequest, knownRequest, type Silence } from './silence.ts';
import { createBodies } from './unread-bodies.ts';

/** Requests that stay open, or that the page does not wait for. They don't count for readiness. */
const UNCOUNTED_TYPES = new Set(['WebSocket', 'EventSource', 'Ping', 'CSPViolationReport', 'Preflight', 'Prefetch']);

export interface RequestTracker extends Pick<Silence, 'arrivedAt' | 'silent' | 'onFailed'> {
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
  /** Ends all waits for requests, now and later, except those of `quiet`. */
  readonly stopWaiting: () => void;
  /** True while requests are in flight that were not given up. */
  readonly arePending: () => boolean;
  /** Forgets which addresses are polled: a list that grows requests its next part from the same one. */
  readonly resetPolls: () => void;
  /** Number of started requests, without those to polled addresses. */
  readonly startedCount: () => number;
  /** Resolves when no request is in flight, except those given up, or when the signal fires. */
  readonly drain: (signal: AbortSignal) => Promise<void>;
  /**
   * Stops waiting for requests that are in flight now. With `silentMs` only for those to which nothing has arrived for
   * so long.
   */
  readonly giveUp: (silentMs?: number) => void;
  /** Resolves when at most `limit` requests have been in flight for `quietMs`, or when the signal fires. */
  readonly quiet: (limit: number, quietMs: number, signal: AbortSignal) => Promise<void>;
}

interface RequestInFlight {
  /** Document of the request. */
  readonly loaderId?: string;
  /**
   * Id of its session, with which it ends at the latest. Undefined for a document, which may end in another session.
   */
  readonly endsWith?: string | undefined;
  readonly known?: KnownRequest | undefined;
  /** When it began, or something last arrived. On the clock of `performance.now()`. */
  heardAt: number;
}

/**
 * Counts the requests of a page. Ids are unique in the browser, so a document request that starts in one session and
 * ends in another is counted once.
 */
export function createRequestTracker(): RequestTracker {
  const inFlight = new Map<string, RequestInFlight>();
  const givenUp = new Set<string>();
  const held = new Set<string>();
  const silence = createSilence(inFlight);
  let startedCount = 0;
  let isWaiting = true;
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const begin = (requestId: string, request: Omit<RequestInFlight, 'heardAt'> = {}): void => {
    inFlight.set(requestId, { ...request, heardAt: performance.now() });
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

  const follow = (session: CDPSession): void => {
    session.on('Network.requestWillBeSent', (event) => {
      const { requestId, loaderId, type, request } = event;
      if (UNCOUNTED_TYPES.has(type ?? 'Other') || request.url.startsWith('data:')) return;
      if (isOfWorker(requestId, type)) return;
      const isPoll = polls.isPoll(request.url);
      if (!isPoll) startedCount++;
      else if (!polls.begin(requestId)) givenUp.add(requestId);
      begin(requestId, {
        loaderId,
        endsWith: type === 'Document' ? undefined : session.id(),
        known: knownRequest(event, inFlight.get(requestId)?.known),
      });
    });
    session.on('Network.responseReceived', ({ requestId, type, response }) => {
      silence.end(requestId);
      if (mayEndUnnoticed(type, response) && inFlight.has(requestId)) bodies.begin(requestId, response);
    });
    session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
      silence.end(requestId);
      bodies.receive(requestId, encodedDataLength);
    });
    followEnds(session, inFlight, { end, silence });
  };

  const arePending = (): boolean => isWaiting && (inFlight.size > givenUp.size || held.size > 0);
  return {
    follow,
    begin: (requestId) => {
      startedCount++;
      begin(requestId);
    },
    end,
    hold: (id) => {
      held.add(id);
      changed();
    },
    release: (id) => {
      if (held.delete(id)) changed();
    },
    has: (id) => inFlight.has(id),
    stopWaiting: () => {
      isWaiting = false;
      changed();
    },
    arePending,
    resetPolls: polls.reset,
    startedCount: () => startedCount,
    drain: (signal) => whenever(listeners, () => !arePending(), signal),
    giveUp: (silentMs = 0) => {
      const since = performance.now() - silentMs;
      for (const [requestId, { heardAt }] of inFlight) if (heardAt <= since) givenUp.add(requestId);
      held.clear();
    },
    arrivedAt: silence.arrivedAt,
    silent: silence.silent,
    onFailed: silence.onFailed,
    quiet: (limit, quietMs, signal) =>
      untilQuiet(listeners, { isQuiet: () => inFlight.size <= limit, quietMs, signal }),
  };
}

/** Chrome does not report the end of a body that a script leaves unread, or of the style sheet of an XML document. */
function mayEndUnnoticed(type: string, { mimeType }: Protocol.Network.Response): boolean {
  return type === 'Fetch' || (type === 'Stylesheet' && /\b(?:xml|xslt?)$/.test(mimeType));
}

/** Ends the requests that the session reports as ended, and those whose end Chrome does not report. */
function followEnds(
  session: CDPSession,
  inFlight: ReadonlyMap<string, RequestInFlight>,
  { end, silence }: { readonly end: (requestId: string) => void; readonly silence: Silence },
): void {
  const onEnd = ({ requestId }: { requestId: string }): void => {
    silence.end(requestId);
    end(requestId);
  };
  // Requests of a removed frame or an ended worker.
  session.on('Target.detachedFromTarget', ({ sessionId }) => {
    for (const [requestId, { endsWith }] of inFlight) if (endsWith === sessionId) end(requestId);
  });
  // Requests of a replaced document.
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return;
    for (const [requestId, { loaderId = '' }] of inFlight) if (loaderId !== frame.loaderId) end(requestId);
  });
  session.on('Network.loadingFinished', onEnd);
  session.on('Network.loadingFailed', ({ requestId }) => {
    silence.fail(requestId);
    end(requestId);
  });
  session.on('Network.requestServedFromCache', onEnd);
}

/** Resolves when the condition has held for `quietMs`, or when the signal fires. */
async function untilQuiet(
  listeners: Set<() => void>,
  {
    isQuiet,
    quietMs,
    signal,
  }: { readonly isQuiet: () => boolean; readonly quietMs: number; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await whenever(listeners, isQuiet, signal);
    const soon = AbortSignal.any([AbortSignal.timeout(quietMs), signal]);
    await whenever(listeners, () => !isQuiet(), soon);
    if (isQuiet()) return;
  }
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
