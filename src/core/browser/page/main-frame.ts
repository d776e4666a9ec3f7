import type { CDPSession, Protocol } from 'puppeteer';
import { followDeparture } from './departure.ts';
import { documentRule, type Intercept, LEAST_ERROR } from './refreshes.ts';

/** A failed navigation. */
export interface NavigationFailure {
  /** Chrome's reason, `net::ERR_...`. */
  readonly errorText: string;
  /** The address that failed, the last of its redirects. */
  readonly url: string;
  /** What the server has answered, if Chrome shows no page for it: a download, or no content. */
  readonly answer?: DocumentAnswer | undefined;
}

/** The head of an answer to a request for a document. */
export interface DocumentAnswer {
  readonly status: number;
  /** Media type, without parameters. */
  readonly mimeType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Maximum number of navigations and redirects by the page itself. After that, it is kept on its present document. */
export const MAX_DOCUMENTS = 20;

/** A document of the main frame. */
export interface MainDocument {
  readonly url: string;
  /** HTTP status of the document. Undefined without an HTTP answer (supplied markup). */
  readonly status: number | undefined;
  /** The failure if the browser shows its own error page, or if nothing of the document has arrived. */
  readonly failure: NavigationFailure | undefined;
  /** True if the connection has failed after a part of the document had arrived. */
  readonly isCut: boolean;
  /** Id of its request. Undefined for supplied markup. */
  readonly requestId: string | undefined;
  /** Settles when the `load` event has fired, or `endLoad` was called. */
  readonly loaded: Promise<void>;
  /** True once `loaded` has settled. */
  readonly isLoaded: () => boolean;
  /** Stops waiting for the `load` event. */
  readonly endLoad: () => void;
}

type Load = Pick<MainDocument, 'loaded' | 'isLoaded' | 'endLoad'>;

export interface MainFrame {
  readonly id: string;
  /** The current document. Undefined before the first one of a capture. */
  readonly current: () => MainDocument | undefined;
  /** Resolves with the next document. Never settles if there is none: race it. */
  readonly next: () => Promise<MainDocument>;
  /** The last requested address, including redirects. Undefined before the first request. */
  readonly lastRequested: () => string | undefined;
  /** The last answer to such a request. */
  readonly lastAnswer: () => DocumentAnswer | undefined;
  /** True from the start of a navigation until its document is there or has failed. */
  readonly isLeaving: () => boolean;
  /** True once the page has reached `MAX_DOCUMENTS`. */
  readonly isRestless: () => boolean;
  /** Resets the count, because the request itself causes the following navigations. Has no effect after the limit. */
  readonly countAnew: () => void;
  /** Records an address change within the document: a fragment, or a history entry. */
  readonly hasMovedTo: (url: string) => void;
  /**
   * Settles when a pending navigation ends without a document: a download, an empty answer, or a cancellation. Race it,
   * like `next`.
   */
  readonly stays: () => Promise<void>;
}

/**
 * Follows navigations and redirects of the main frame: documents, HTTP status, load events. Ignores late load events of
 * the initial blank page. Blocks further documents at the limit.
 */
export function followMainFrame(session: CDPSession, frameId: string, block: Intercept): MainFrame {
  const statuses = new Map<string, number>();
  const failures = new Map<string, NavigationFailure>();
  const ownRequests = new Set<string>();
  let lastRequested: string | undefined;
  let lastAnswer: DocumentAnswer | undefined;
  const received = new Set<string>();
  let current: Changing | undefined;
  let waiting = Promise.withResolvers<MainDocument>();
  /** True once the present document has stopped loading. */
  let [isStopped, isInterrupted] = [false, false];
  let shown = 0;

  const departure = followDeparture({
    session,
    frameId,
    address: () => current?.url,
    isGood: () => isGood(current),
    block,
    onRefused: () => {
      if (isStopped) current?.endLoad(); // there is no load event any more
    },
  });
  const show = (document: Omit<MainDocument, keyof Load>): void => {
    current = { ...document, ...createLoad() };
    isStopped = false;
    departure.arrive();
    waiting.resolve(current);
    waiting = Promise.withResolvers();
    if (++shown === MAX_DOCUMENTS) block(documentRule(frameId));
  };

  session.on('Network.requestWillBeSent', ({ type, requestId, frameId: requester, request }) => {
    if (type !== 'Document' || requester !== frameId) return;
    lastRequested = request.url;
    lastAnswer = undefined;
    ownRequests.add(requestId);
  });
  session.on('Network.responseReceived', ({ type, loaderId, requestId, response }) => {
    if (type !== 'Document' || requestId !== loaderId) return;
    statuses.set(loaderId, response.status);
    if (ownRequests.has(requestId)) lastAnswer = response;
  });
  session.on('Network.loadingFailed', ({ requestId, errorText }) => {
    if (!ownRequests.has(requestId)) return;
    failures.set(requestId, { errorText, url: lastRequested ?? '', answer: lastAnswer });
    breakDocument(current, { failures, received });
    if (errorText !== 'net::ERR_ABORTED') return;
    isInterrupted = true;
    departure.stay(); // a download or an empty answer; in all other cases an error page follows
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (dataLength > 0 && ownRequests.has(requestId)) received.add(requestId);
  });
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return;
    show(describe(frame, statuses, failures));
    breakDocument(current, { failures, received });
  });
  session.on('Page.documentOpened', ({ frame }) => {
    // Our markup in the blank page. A page that rewrites its own document keeps its identity.
    if (frame.parentId !== undefined || current !== undefined) return;
    show({ url: frame.url, status: undefined, requestId: undefined, failure: undefined, isCut: false });
  });
  // A failed navigation (download, no content) or `window.stop()` interrupts a load: no load event follows.
  session.on('Page.frameStoppedLoading', ({ frameId: stopped }) => {
    if (stopped !== frameId) return;
    isStopped = true;
    if (isInterrupted || !departure.isPending()) current?.endLoad();
  });
  session.on('Page.loadEventFired', () => current?.endLoad());

  return {
    id: frameId,
    lastRequested: () => lastRequested,
    lastAnswer: () => lastAnswer,
    current: () => current,
    next: () => waiting.promise,
    isRestless: () => shown >= MAX_DOCUMENTS,
    isLeaving: () => shown < MAX_DOCUMENTS && departure.isPending(),
    countAnew: () => {
      departure.reset();
      if (shown < MAX_DOCUMENTS) shown = 0;
    },
    hasMovedTo: (url) => {
      if (current !== undefined) current.url = url;
    },
    stays: departure.stays,
  };
}

function describe(
  frame: Protocol.Page.Frame,
  statuses: ReadonlyMap<string, number>,
  failures: ReadonlyMap<string, NavigationFailure>,
): Omit<MainDocument, keyof Load> {
  const isErrorPage = frame.unreachableUrl !== undefined && frame.unreachableUrl !== '';
  return {
    url: frame.unreachableUrl ?? frame.url + (frame.urlFragment ?? ''),
    requestId: frame.loaderId,
    status: statuses.get(frame.loaderId),
    failure: isErrorPage
      ? (failures.get(frame.loaderId) ?? { errorText: 'net::ERR_FAILED', url: frame.unreachableUrl ?? '' })
      : undefined,
    isCut: false,
  };
}

function isGood(document: MainDocument | undefined): boolean {
  return document !== undefined && document.failure === undefined && (document.status ?? 0) < LEAST_ERROR;
}

type Changing = { -readonly [Name in keyof MainDocument]: MainDocument[Name] };

interface Transfers {
  readonly failures: ReadonlyMap<string, NavigationFailure>;
  /** Requests of which content has arrived. */
  readonly received: ReadonlySet<string>;
}

/**
 * Ends a document whose connection has failed. The browser never paints one that fails before its first byte: it held a
 * page for a minute.
 */
function breakDocument(document: Changing | undefined, { failures, received }: Transfers): void {
  const { requestId = '' } = document ?? {};
  const failure = failures.get(requestId);
  if (document === undefined || document.failure !== undefined || failure === undefined) return;
  if (failure.errorText === 'net::ERR_ABORTED') return;
  if (received.has(requestId)) document.isCut = true;
  else document.failure = failure;
  document.endLoad();
}

function createLoad(): Load {
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  let isLoaded = false;
  const endLoad = (): void => {
    isLoaded = true;
    resolve();
  };
  return { loaded, isLoaded: () => isLoaded, endLoad };
}
