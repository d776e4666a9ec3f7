import type { CDPSession, Protocol } from 'puppeteer';
import { LIMIT_MS } from '../../ground/time-limits.ts';
import type { InterceptionRule } from './requests/interception.ts';

/** Longest time of refreshes that are followed, all together: a visitor waits for a waiting room or an interstitial. */
const FOLLOWED_SECONDS = 10;
/** A refresh within this time is a redirect. */
const REDIRECT_SECONDS = 1;
/** Times that a page may be left by redirects, and be led back to: it may have sent the visitor to get a cookie. */
const MOST_REDIRECTS = 2;

/** Least status of an error page. */
export const LEAST_ERROR = 400;
/** Status of an answer that never came. */
const FAILED = 599;

type Paused = Protocol.Fetch.RequestPausedEvent;

/** What happens to a navigation that the page has scheduled. */
type Plan = 'follow' | 'reload' | 'leave' | 'cancel';

/** The rules for pages that refresh themselves, from the first document of a capture on. */
interface Refreshes {
  /** Decides about a scheduled navigation: the present document of this address will leave for another, or reload. */
  readonly plan: (scheduled: Protocol.Page.FrameScheduledNavigationEvent, address: string | undefined) => Plan;
  /** Records that the document of this address requests another one. True if it reloads itself for the first time. */
  readonly goesTo: (url: string, address: string | undefined, requestId: string) => boolean;
  /** True if the document of this address would reload itself once more, by a request that was not recorded. */
  readonly isHeld: (url: string, address: string | undefined, requestId?: string) => boolean;
  /** Allows everything once more, because the request itself causes the following navigations. */
  readonly reset: () => void;
}

/**
 * Creates the rules of one page. A refresh to another address is followed. A page that reloads itself is loaded once
 * more, which lets visitors into what waits for a cookie, and never again: a board would be loaded without end.
 */
function createRefreshes(): Refreshes {
  /** The request that has reloaded an address. */
  const reloaded = new Map<string, string>();
  /** How often a refresh has left an address: boards lead to each other. */
  const left = new Map<string, number>();
  let followedSeconds = 0;
  return {
    plan: ({ delay, url, reason }, address) => {
      if (reason !== 'metaTagRefresh' && reason !== 'httpHeaderRefresh') {
        return delay <= REDIRECT_SECONDS && url !== address ? 'follow' : 'leave';
      }
      if (isSame(url, address)) {
        return delay <= FOLLOWED_SECONDS && !reloaded.has(withoutHash(url)) ? 'reload' : 'cancel';
      }
      const visits = left.get(withoutHash(url)) ?? 0;
      if (visits >= (delay <= REDIRECT_SECONDS ? MOST_REDIRECTS : 1)) return 'cancel';
      if (delay > REDIRECT_SECONDS && followedSeconds + delay > FOLLOWED_SECONDS) return 'cancel';
      const from = withoutHash(address ?? '');
      left.set(from, (left.get(from) ?? 0) + 1);
      if (delay <= REDIRECT_SECONDS) return 'follow';
      followedSeconds += delay;
      return 'follow';
    },
    goesTo: (url, address, requestId) => {
      if (!isSame(url, address) || reloaded.has(withoutHash(url))) return false;
      reloaded.set(withoutHash(url), requestId);
      return true;
    },
    isHeld: (url, address, requestId) => {
      const first = isSame(url, address) ? reloaded.get(withoutHash(url)) : undefined;
      return first !== undefined && first !== requestId;
    },
    reset: () => {
      reloaded.clear();
      left.clear();
      followedSeconds = 0;
    },
  };
}

/** Intercepts requests of the page. Does not throw: a page that was closed can't navigate any more. */
export type Intercept = (rule: InterceptionRule) => void;

interface Reloads {
  readonly frameId: string;
  /** The address of the present document. */
  readonly address: () => string | undefined;
  /** True if the present document is no error page. */
  readonly isGood: () => boolean;
  readonly block: Intercept;
}

export interface PageRefreshes extends Refreshes {
  /**
   * Keeps a good page whose reload is answered by an error or not at all: a board may limit its visits. Called before
   * the page reloads itself.
   */
  readonly keepGood: () => void;
}

/** Creates the rules of a page, and holds it once it has reloaded itself. */
export function followReloads(session: CDPSession, { frameId, address, isGood, block }: Reloads): PageRefreshes {
  const refreshes = createRefreshes();
  /** Requests by which good pages have reloaded themselves, each with the timer of its limit. */
  const replacing = new Map<string, NodeJS.Timeout>();
  let isHolding = false;
  let keepsGood = false;
  session.on('Network.requestWillBeSent', ({ type, requestId, frameId: requester, request, redirectResponse }) => {
    if (type !== 'Document' || requester !== frameId || request.method !== 'GET' || redirectResponse !== undefined)
      return;
    if (!refreshes.goesTo(request.url, address(), requestId)) return;
    if (isGood()) replacing.set(requestId, setTimeout(() => void cancelRefresh(session), LIMIT_MS.reload).unref());
    if (isHolding) return;
    isHolding = true;
    const isReload = ({ request: { url, method }, redirectedRequestId, networkId }: Paused): boolean =>
      method === 'GET' && redirectedRequestId === undefined && refreshes.isHeld(url, address(), networkId);
    block(documentRule(frameId, isReload));
  });
  const hasEnded = ({ requestId }: { readonly requestId: string }): void => clearTimeout(replacing.get(requestId));
  session.on('Network.responseReceived', hasEnded);
  session.on('Network.loadingFailed', hasEnded);
  return {
    ...refreshes,
    keepGood: () => {
      if (keepsGood) return;
      keepsGood = true;
      block({
        patterns: [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Response' }],
        dropsAnswer: ({ networkId = '', responseStatusCode = FAILED }) =>
          replacing.has(networkId) && responseStatusCode >= LEAST_ERROR,
      });
    },
  };
}

/** Returns a rule that blocks documents of a frame, which keeps the present one. */
export function documentRule(
  blockedFrame: string,
  isBlocked: (paused: Paused) => boolean = () => true,
): InterceptionRule {
  return {
    patterns: [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Request' }],
    onRequest: (paused) => (paused.frameId === blockedFrame && isBlocked(paused) ? { block: true } : undefined),
  };
}

/** Cancels the refresh that the page has scheduled. */
export async function cancelRefresh(session: CDPSession): Promise<void> {
  await session.send('Page.stopLoading').catch(() => undefined); // the page is lost
}

function isSame(url: string, address: string | undefined): boolean {
  return address !== undefined && withoutHash(url) === withoutHash(address);
}

function withoutHash(address: string): string {
  return address.split('#', 1)[0] ?? address;
}
