import type { CDPSession, Protocol } from 'puppeteer';

/** A navigation that came to nothing. */
export interface NavigationFailure {
  /** Chrome's reason, `net::ERR_...`. */
  readonly errorText: string;
  /** The address that failed, the last in a chain of redirects. */
  readonly url: string;
}

const MAX_REDIRECT_DELAY_SECONDS = 1;

/** Documents after which a page that sends itself on and on is held where it is. */
export const MAX_DOCUMENTS = 20;

/** One document that the main frame has shown. */
export interface MainDocument {
  readonly url: string;
  /** HTTP status of the document itself; undefined where there was no HTTP answer (supplied markup). */
  readonly status: number | undefined;
  /** Why what is shown is the browser's own error page; undefined when it is not. */
  readonly failure: NavigationFailure | undefined;
  /** Settles when the document's `load` event has fired. */
  readonly loaded: Promise<void>;
}

export interface MainFrame {
  /** The document on show; undefined until the first one of a capture has been committed. */
  readonly current: () => MainDocument | undefined;
  /** The next document to be committed. It never settles when there is none: race it. */
  readonly next: () => Promise<MainDocument>;
  /** The address that was asked for last, redirects included; undefined before the first. */
  readonly lastRequested: () => string | undefined;
  /** True from the moment the page asks to go elsewhere until that document is there, or has failed to come. */
  readonly isLeaving: () => boolean;
  /** True once the page has shown so many documents that it is held where it is. */
  readonly isRestless: () => boolean;
  /** Documents so far count no more: the client has a hand in those that come. One that is held already stays so. */
  readonly countAnew: () => void;
  /** Notes the address that the document on show has given itself: a place in it, an entry of its history. */
  readonly hasMovedTo: (url: string) => void;
  /** Settles when the page that is leaving is not: the answer was no page, or it changed its mind. Race it, as `next`. */
  readonly stays: () => Promise<void>;
}

/**
 * Follows the main frame: which document it shows, with which HTTP status, and whether it has loaded. The load events
 * of the blank page that a tab starts with are ignored, as they may arrive late. `onRestless` is called once, and must hold the
 * page in place.
 */
export function followMainFrame(session: CDPSession, frameId: string, onRestless: () => void): MainFrame {
  const statuses = new Map<string, number>();
  const failures = new Map<string, NavigationFailure>();
  const ownRequests = new Set<string>();
  let lastRequested: string | undefined;
  let current: (MainDocument & { url: string; readonly fireLoad: () => void }) | undefined;
  let waiting = Promise.withResolvers<MainDocument>();
  let scheduled = false;
  let requested = false;
  let brokenOff = false;
  let shown = 0;
  let staying = Promise.withResolvers<void>();

  const stay = (): void => {
    scheduled = false;
    requested = false;
    staying.resolve();
    staying = Promise.withResolvers();
  };
  const show = (document: Omit<MainDocument, 'loaded'>): void => {
    const load = Promise.withResolvers<void>();
    current = { ...document, loaded: load.promise, fireLoad: load.resolve };
    scheduled = false;
    requested = false;
    waiting.resolve(current);
    waiting = Promise.withResolvers();
    if (++shown === MAX_DOCUMENTS) onRestless();
  };

  session.on('Network.requestWillBeSent', ({ type, requestId, frameId: requester, request }) => {
    if (type !== 'Document' || requester !== frameId) return;
    lastRequested = request.url;
    ownRequests.add(requestId);
  });
  session.on('Network.responseReceived', ({ type, loaderId, requestId, response }) => {
    if (type === 'Document' && requestId === loaderId) statuses.set(loaderId, response.status);
  });
  session.on('Network.loadingFailed', ({ requestId, errorText }) => {
    if (!ownRequests.has(requestId)) return;
    failures.set(requestId, { errorText, url: lastRequested ?? '' });
    if (errorText !== 'net::ERR_ABORTED') return;
    brokenOff = true;
    stay(); // a download or an empty answer; else an error page follows
  });
  session.on('Page.frameRequestedNavigation', (request) => {
    if (request.frameId === frameId && request.disposition === 'currentTab') requested = true;
  });
  // A refresh that is due at once is a redirect; one to the same address is a page that keeps itself fresh.
  session.on('Page.frameScheduledNavigation', ({ frameId: leaver, delay, url }) => {
    if (leaver === frameId && delay <= MAX_REDIRECT_DELAY_SECONDS && url !== current?.url) scheduled = true;
  });
  session.on('Page.frameClearedScheduledNavigation', ({ frameId: leaver }) => {
    if (leaver === frameId && scheduled && !requested) stay();
  });
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId === undefined) show(describe(frame, statuses, failures));
  });
  session.on('Page.documentOpened', ({ frame }) => {
    // Our markup, written into the blank page. A page that opens its own document anew stays the document that it is.
    if (frame.parentId !== undefined || current !== undefined) return;
    show({ url: frame.url, status: undefined, failure: undefined });
  });
  // A document whose load was broken off by a navigation that came to nothing (a download, no content) fires no load event.
  session.on('Page.frameStoppedLoading', ({ frameId: stopped }) => {
    if (stopped === frameId && brokenOff) current?.fireLoad();
  });
  session.on('Page.loadEventFired', () => {
    current?.fireLoad();
  });

  return {
    lastRequested: () => lastRequested,
    current: () => current,
    next: () => waiting.promise,
    isRestless: () => shown >= MAX_DOCUMENTS,
    isLeaving: () => shown < MAX_DOCUMENTS && (scheduled || requested),
    countAnew: () => {
      if (shown < MAX_DOCUMENTS) shown = 0;
    },
    hasMovedTo: (url) => {
      if (current !== undefined) current.url = url;
    },
    stays: () => staying.promise,
  };
}

function describe(
  frame: Protocol.Page.Frame,
  statuses: ReadonlyMap<string, number>,
  failures: ReadonlyMap<string, NavigationFailure>,
): Omit<MainDocument, 'loaded'> {
  const isErrorPage = frame.unreachableUrl !== undefined && frame.unreachableUrl !== '';
  return {
    url: frame.unreachableUrl ?? frame.url + (frame.urlFragment ?? ''),
    status: statuses.get(frame.loaderId),
    failure: isErrorPage
      ? (failures.get(frame.loaderId) ?? { errorText: 'net::ERR_FAILED', url: frame.unreachableUrl ?? '' })
      : undefined,
  };
}
