import { NetworkLostError } from '../browser/browser-errors.ts';
import { BACKGROUND } from '../browser/pool/fair-queue.ts';
import type { PagePool } from '../browser/pool/page-pool.ts';
import type { Destinations } from '../egress/destination.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { raceAbort } from '../timeouts.ts';
import type { RenderLimits } from './formats/format.ts';
import { captureOnPage, type CaptureResult } from './capture-on-page.ts';
import { checkDestinations } from './check-destination.ts';
import type { CaptureOptions } from './request/options.ts';
import { createRetry } from './retry-once.ts';
import { secondTry } from './second-try.ts';
import { FORMATS } from './formats/index.ts';
import { toJsonAnswer } from './json-answer.ts';
import type { StepContext } from '../steps/common/step.ts';
import { createStopwatch } from '../steps/common/stopwatch.ts';

interface CaptureContext {
  /** Under which it is logged, and what a json answer says of that. */
  readonly id?: string;
  /** Who asks: clients take turns. */
  readonly client?: string;
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** For options that a link asks for: the link, which keeps what is found out about them. */
  readonly link?: { readonly options?: CaptureOptions; cacheKey?: string };
}

/** How a result stands to the cache. */
export interface Caching {
  /** True when the result was there before it was asked for. */
  readonly isHit: boolean;
  /** Strong entity tag of the body, quotes included. */
  readonly etag: string;
  /** Unix milliseconds. */
  readonly capturedAtMs: number;
  /** How long the result may be given out from then on, in whole seconds. */
  readonly ttlSeconds: number;
}

export interface CaptureAnswer extends CaptureResult {
  /** Undefined: the cache has no part in it. */
  readonly caching?: Caching;
}

/**
 * One request in, one result out.
 * @throws ServiceError for everything that is expected to go wrong.
 */
export type Capture = (options: CaptureOptions, context: CaptureContext) => Promise<CaptureAnswer>;

interface CaptureDependencies extends RenderLimits {
  readonly pool: PagePool;
  /** The egress decisions for one capture: a retry must not resolve again. */
  readonly openDestinations: () => Destinations;
  readonly captureTimeoutMs: number;
  /** For requests without one, where the browser itself could not be started with it. */
  readonly locale?: string | undefined;
  /** The operator's filter lists, once they have been read; undefined without any. */
  readonly lists: StepContext['lists'];
}

/** A capture by a page of the pool. A browser or tab that dies under it is replaced, once, within the same deadline. */
export function createCapture(dependencies: CaptureDependencies): Capture {
  const { pool, openDestinations, captureTimeoutMs, locale, lists, ...limits } = dependencies;
  const withRetry = createRetry();

  const attempt = async (
    options: CaptureOptions,
    destinations: Destinations,
    {
      signal,
      onLeased,
      ...wanted
    }: {
      readonly signal: AbortSignal;
      readonly onLeased: () => void;
      readonly isRetry: boolean;
      readonly client: string;
    },
  ): Promise<CaptureResult> => {
    const stopwatch = createStopwatch();
    const lease = await pool.lease(destinations, signal, wanted);
    onLeased();
    try {
      const asked = { ...options, locale: options.locale ?? locale };
      const capturing = captureOnPage(lease, asked, { ...limits, lists, stopwatch });
      const result = await capturing.catch((error: unknown) => {
        if (!lease.isNetworkLost('failed')) throw error;
        throw new NetworkLostError('the network service died', { cause: error });
      });
      if (!lease.isNetworkLost('done')) return result;
      throw new NetworkLostError('the network service died during the capture');
    } finally {
      lease.release();
    }
  };

  return async (options, { id, client = '', signal, log }) => {
    pool.refuseWhenFull(client); // before the address is looked up, which takes longer than a refusal may
    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const startClock = (): void => {
      timer ??= setTimeout(() => {
        deadline.abort(
          new ServiceError('TimeoutError', `The capture took longer than ${captureTimeoutMs} ms`),
        );
      }, captureTimeoutMs);
    };
    // In the background it may wait for as long as others go first.
    if (client !== BACKGROUND) startClock();
    const either = AbortSignal.any([signal, deadline.signal]);
    const destinations = openDestinations();
    try {
      await raceAbort(checkDestinations(destinations, options), either);
      const captured = await withRetry({
        request: () => JSON.stringify(options),
        attempt: async (lostTo) => {
          const wanted = { signal: either, client, isRetry: lostTo !== undefined, onLeased: startClock };
          const { without, warning } = secondTry(options, lostTo);
          const result = await attempt({ ...options, ...without }, destinations, wanted);
          return warning === undefined ? result : { ...result, warnings: [...result.warnings, warning] };
        },
        signal: either,
        log,
      });
      if (options.response_type === 'file') return captured;
      const { maxResultBytes } = limits;
      const format = FORMATS[options.format];
      return await toJsonAnswer(captured, { format, requestId: id, maxResultBytes, signal: either });
    } finally {
      clearTimeout(timer);
    }
  };
}
