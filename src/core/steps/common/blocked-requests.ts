import type { Page } from '../../browser/page/page.ts';

// Maximum number of remembered requests. On a page with more, the elements of the others stay visible.
const MAX_REMEMBERED = 10_000;
const MAX_URL_LENGTH = 8_192;

/** A blocked request of the page. */
export interface BlockedRequest {
  /** Id in the Network domain. */
  readonly requestId: string;
  readonly url: string;
  /** Type in the protocol, such as `Image` or `Document`. */
  readonly resourceType: string;
  readonly frameId: string | undefined;
  /** True if the element keeps its space on the page. `if_sized`: if its style or its attributes give it a size. */
  readonly keepsPlace: boolean | 'if_sized';
}

/** The blocked requests of a page, to count them and to hide their elements. */
export interface BlockedRequests {
  /** Counts a request once, even if several fields block it. */
  readonly add: (request: BlockedRequest) => void;
  /** Adds a request whose element is hidden, without counting the request. */
  readonly addUncounted: (request: BlockedRequest) => void;
  /** Counts a request without an element. */
  readonly addOne: () => void;
  /**
   * Counts a refused connection. If no request to its host is reported, as with shared workers, the connection counts
   * as a request.
   */
  readonly addConnection: (host: string) => void;
  readonly wasRefused: (host: string) => boolean;
  /** Adds the reported request of a refused connection. */
  readonly addReported: (host: string, request: BlockedRequest) => void;
  /** Follows redirects, because an element knows only the address that it requested. */
  readonly followRedirects: (page: Page) => void;
  readonly count: () => number;
  /**
   * Returns all blocked requests with an element, by the requested address, if there are new ones. Otherwise an empty
   * list.
   */
  readonly takeVisible: () => readonly BlockedRequest[];
}

/** Creates the list of one capture. */
export function createBlockedRequests(): BlockedRequests {
  const visible = new Map<string, BlockedRequest>();
  const counted = new Set<string>();
  const refused = new Map<string, { connections: number; isReported: boolean }>();
  const beginnings = new Map<string, string>();
  let requests = 0;
  let hasMore = false;
  let isFollowing = false;

  const remember = (request: BlockedRequest): void => {
    const shows = request.resourceType === 'Image' || request.resourceType === 'Document';
    if (!shows || request.url.length > MAX_URL_LENGTH || visible.size >= MAX_REMEMBERED) return;
    visible.set(request.requestId, request);
    hasMore = true;
  };
  const add = (request: BlockedRequest): void => {
    if (counted.has(request.requestId)) return;
    // fields that match the same request report it at the same time
    if (counted.size >= MAX_REMEMBERED) counted.clear();
    counted.add(request.requestId);
    requests++;
    remember(request);
  };

  return {
    add,
    addUncounted: remember,
    addOne: () => {
      requests++;
    },
    addConnection: (host) => {
      const known = refused.get(host);
      if (known !== undefined) known.connections++;
      else if (refused.size < MAX_REMEMBERED) refused.set(host, { connections: 1, isReported: false });
    },
    wasRefused: (host) => refused.has(host),
    addReported: (host, request) => {
      const known = refused.get(host);
      if (known !== undefined) known.isReported = true;
      add(request);
    },
    followRedirects: (page) => {
      if (isFollowing) return;
      isFollowing = true;
      page.followSessions((session) => {
        session.on('Network.requestWillBeSent', ({ requestId, redirectResponse }) => {
          if (redirectResponse === undefined || beginnings.has(requestId)) return;
          if (beginnings.size < MAX_REMEMBERED) beginnings.set(requestId, redirectResponse.url);
        });
      });
    },
    count: () => {
      const unreported = [...refused.values()].filter(({ isReported }) => !isReported);
      return unreported.reduce((sum, { connections }) => sum + connections, requests);
    },
    takeVisible: () => {
      if (!hasMore) return [];
      hasMore = false;
      return [...visible.values()].map((request) => ({
        ...request,
        url: beginnings.get(request.requestId) ?? request.url,
      }));
    },
  };
}
