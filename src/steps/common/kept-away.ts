import type { Page } from '../../browser/page/page.ts';

const MAX_REMEMBERED = 10_000; // requests; a page that has more of them kept away shows what it shows
const MAX_URL_LENGTH = 8_192;

/** A request of the page that the client wanted kept away. */
export interface KeptRequest {
  /** As the Network domain numbers it. */
  readonly requestId: string;
  readonly url: string;
  /** As the protocol names it: `Image`, `Document`. */
  readonly resourceType: string;
  readonly frameId: string | undefined;
  /** True where what shows it keeps its place on the page. */
  readonly keepsPlace: boolean;
}

/** What was kept away from a page, for whoever counts it and for whoever hides what it leaves behind. */
export interface KeptAway {
  /** Once for each request, however many want it kept away. */
  readonly add: (request: KeptRequest) => void;
  /** One that shows nothing. */
  readonly addOne: () => void;
  /** A connection that was refused. It counts as a request where none to its host is ever told of: those of shared workers. */
  readonly addConnection: (host: string) => void;
  readonly wasRefused: (host: string) => boolean;
  /** The request of a refused connection, as the page tells of it. */
  readonly addTold: (host: string, request: KeptRequest) => void;
  /** Learns where the requests of this page began: an element knows the address that it asked for, not where that led. */
  readonly followRedirects: (page: Page) => void;
  readonly count: () => number;
  /** Everything that may have left something to hide, by the address that was asked for, if there is more than the last time; else nothing. */
  readonly takeVisible: () => readonly KeptRequest[];
}

/** Of one capture. */
export function createKeptAway(): KeptAway {
  const visible = new Map<string, KeptRequest>();
  const counted = new Set<string>();
  const refused = new Map<string, { connections: number; isTold: boolean }>();
  const beginnings = new Map<string, string>();
  let requests = 0;
  let hasMore = false;
  let isFollowing = false;

  const remember = (request: KeptRequest): void => {
    const shows = request.resourceType === 'Image' || request.resourceType === 'Document';
    if (!shows || request.url.length > MAX_URL_LENGTH || visible.size >= MAX_REMEMBERED) return;
    visible.set(request.requestId, request);
    hasMore = true;
  };
  const add = (request: KeptRequest): void => {
    if (counted.has(request.requestId)) return;
    if (counted.size >= MAX_REMEMBERED) counted.clear(); // two who want the same away say so at the same time
    counted.add(request.requestId);
    requests++;
    remember(request);
  };

  return {
    add,
    addOne: () => {
      requests++;
    },
    addConnection: (host) => {
      const known = refused.get(host);
      if (known !== undefined) known.connections++;
      else if (refused.size < MAX_REMEMBERED) refused.set(host, { connections: 1, isTold: false });
    },
    wasRefused: (host) => refused.has(host),
    addTold: (host, request) => {
      const known = refused.get(host);
      if (known !== undefined) known.isTold = true;
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
      const untold = [...refused.values()].filter(({ isTold }) => !isTold);
      return untold.reduce((sum, { connections }) => sum + connections, requests);
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
