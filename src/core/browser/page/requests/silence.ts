import type { Protocol } from 'puppeteer';

/** Types whose end the `load` event does not wait for. */
const TYPES_BESIDE_LOAD = new Set(['Fetch', 'XHR', 'Media']);

/** A request that a session has reported. */
export interface KnownRequest {
  /** Id in the Network domain. */
  readonly requestId: string;
  readonly url: string;
  /** The address before redirects, which is also the address in the element. */
  readonly firstUrl: string;
  /** Type in the protocol, such as `Image` or `Document`. */
  readonly resourceType: string;
  readonly frameId: string | undefined;
  /** On the clock of `performance.now()`. */
  readonly beganAt: number;
}

/** What arrives for the requests of a page, and what does not. */
export interface Silence {
  /** Records that something has arrived for the request. */
  readonly end: (requestId: string) => void;
  /** Records that the request has failed. */
  readonly fail: (requestId: string) => void;
  /** When something last arrived for which the `load` event may wait, on the clock of `performance.now()`. */
  readonly arrivedAt: () => number;
  /** Reported requests in flight to which nothing has arrived for `silentMs`. */
  readonly silent: (silentMs: number) => readonly KnownRequest[];
  /** Calls the listener for each reported request that fails from now on. */
  readonly onFailed: (listener: (request: KnownRequest) => void) => void;
}

/** Describes a request. `previous` is the same request before a redirect. */
export function knownRequest(
  { requestId, request: { url }, type, frameId }: Protocol.Network.RequestWillBeSentEvent,
  previous: KnownRequest | undefined,
): KnownRequest {
  const beganAt = performance.now();
  return { requestId, url, firstUrl: previous?.firstUrl ?? url, resourceType: type ?? 'Other', frameId, beganAt };
}

/** Follows what arrives for the requests in flight. */
export function createSilence(
  inFlight: ReadonlyMap<string, { readonly known?: KnownRequest | undefined; heardAt: number }>,
): Silence {
  const failureListeners: ((request: KnownRequest) => void)[] = [];
  let arrivedAt = 0;

  return {
    end: (requestId) => {
      const request = inFlight.get(requestId);
      if (request === undefined) return;
      request.heardAt = performance.now();
      if (request.known !== undefined && !TYPES_BESIDE_LOAD.has(request.known.resourceType))
        arrivedAt = request.heardAt;
    },
    fail: (requestId) => {
      const failed = inFlight.get(requestId)?.known;
      if (failed !== undefined) for (const listener of failureListeners) listener(failed);
    },
    arrivedAt: () => arrivedAt,
    silent: (silentMs) => {
      const since = performance.now() - silentMs;
      return [...inFlight.values()].flatMap(({ known, heardAt }) =>
        known !== undefined && heardAt <= since ? [known] : [],
      );
    },
    onFailed: (listener) => void failureListeners.push(listener),
  };
}
