import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { piecesOf } from './answer.ts';
import { isRetryable, NetworkLostError } from '../browser/browser-errors.ts';
import type { PageLease } from '../browser/pool/lease.ts';
import { TemporaryFolderFullError, unlessFolderFull } from '../browser/process/temporary-space.ts';
import { BACKGROUND } from '../queue/fair-share.ts';
import type { PagePool } from '../browser/pool/page-pool.ts';
import type { EgressRoute } from '../egress/gate/dial.ts';
import { ServiceError } from '../ground/errors.ts';
import type { Logger } from '../ground/log.ts';
import { raceAbort } from '../ground/timeouts.ts';
import type { RenderLimits } from './formats/format.ts';
import { captureOnPage, type Captured, type CaptureFacts, type CaptureLimits } from './capture-on-page.ts';
import { checkDestinations } from './check-destination.ts';
import type { CaptureOptions } from './request/options.ts';
import type { Key } from '../access/key.ts';
import { withTargetStatus } from './navigation-errors.ts';
import { createRetry, retryOptions } from './retry-capture.ts';
import type { StepContext } from '../steps/common/step.ts';
import { createStopwatch } from '../steps/common/stopwatch.ts';
import type { Span } from '../ground/tracer.ts';

interface CaptureContext {
  /** Request id, for the log and the JSON answer. */
  readonly id?: string;
  /** Identifies the client in the fair queue. */
  readonly client?: string;
  /** The key of the client. */
  readonly key?: Key | undefined;
  /** Aborted when no client waits for the result any more. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Gets the parts of the capture. Undefined: not traced. */
  readonly span?: Span | undefined;
  /** The signed link that the options come from. It keeps values that were computed from them. */
  readonly link?: { readonly options?: { readonly capture: CaptureOptions }; cacheKey?: string };
}

/** Cache metadata of a result. */
export interface Caching {
  /** True if the result was in the cache before the request. */
  readonly isHit: boolean;
  /** True if an equal request made the capture at the same time. */
  readonly isShared?: true;
  /** Strong entity tag of the body, with quotes. */
  readonly etag: string;
  /** Unix milliseconds. */
  readonly capturedAtMs: number;
  /** Seconds for which the result may be used, counted from `capturedAtMs`. */
  readonly ttlSeconds: number;
}

export interface CaptureAnswer extends Captured {
  /** Undefined: the cache was not used. */
  readonly caching?: Caching;
}

/**
 * Makes one capture.
 * @throws ServiceError for all expected failures
 */
export type Capture = (options: CaptureOptions, context: CaptureContext) => Promise<CaptureAnswer>;

/** Wraps a capture function. */
export type CaptureWrapper = (capture: Capture) => Capture;

interface CaptureDependencies extends RenderLimits, Pick<CaptureLimits, 'digestOf'> {
  readonly pool: PagePool;
  /** Creates the egress decisions of one capture. A retry uses the same, so that names are not resolved again. */
  readonly openDestinations: (within?: Key['egressAllow'], proxy?: string) => EgressRoute;
  readonly captureTimeoutMs: number;
  /** Locale to set by a protocol call if the request has none and the browser could not be started with it. */
  readonly locale?: string | undefined;
  /** Filter lists of the operator, once they are loaded. Undefined without any. */
  readonly lists: StepContext['lists'];
}

/**
 * Creates a capture function that uses pages of the pool. If the browser or the tab is lost, it retries once within the
 * same deadline.
 */
export function createCapture(dependencies: CaptureDependencies): Capture {
  const { pool, openDestinations, captureTimeoutMs, locale, lists, ...limits } = dependencies;
  const withRetry = createRetry();

  const attempt = async (
    options: CaptureOptions,
    destinations: EgressRoute,
    {
      signal,
      onLeased,
      log,
      span,
      ...request
    }: {
      readonly signal: AbortSignal;
      readonly onLeased: () => number;
      readonly log: Logger;
      readonly span: Span | undefined;
      readonly isRetry: boolean;
      readonly client: string;
      readonly key: Key | undefined;
    },
  ): Promise<Captured> => {
    const stopwatch = createStopwatch({ span });
    const lease = await stopwatch.time(pool.lease(destinations, signal, request));
    const endsAt = onLeased();
    try {
      const pageOptions = { ...options, locale: options.locale ?? locale };
      const capturing = captureOnPage(lease, pageOptions, { ...limits, lists, log, stopwatch, endsAt });
      const result = await stopwatch.time(capturing).catch(async (error: unknown) => {
        if (!lease.isNetworkLost('failed')) throw await explained(error, lease);
        throw new NetworkLostError('the network service of the browser ended', { cause: error });
      });
      if (!lease.isNetworkLost('done')) return result;
      throw new NetworkLostError('the network service of the browser ended during the capture');
    } finally {
      lease.release();
    }
  };

  return async (options, { id, client = '', key, signal, log, span }) => {
    pool.refuseWhenFull(client); // checked before resolving the address, because a refusal must be fast
    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let endsAt = 0;
    const startClock = (): number => {
      if (timer !== undefined) return endsAt;
      endsAt = performance.now() + captureTimeoutMs;
      timer = setTimeout(() => {
        deadline.abort(new ServiceError('TimeoutError', `The capture took longer than ${captureTimeoutMs} ms`));
      }, captureTimeoutMs);
      return endsAt;
    };
    // Background captures have no deadline in the queue, because interactive captures go first.
    if (client !== BACKGROUND) startClock();
    const either = AbortSignal.any([signal, deadline.signal]);
    const destinations = openDestinations(key?.egressAllow, options.proxy);
    try {
      await raceAbort(checkDestinations(destinations, options), either);
      const captured = await withRetry({
        request: () => JSON.stringify(options),
        attempt: async (lostTo) => {
          const isRetry = lostTo !== undefined;
          const request = { signal: either, client, key, isRetry, onLeased: startClock, log, span };
          const { instead, warning } = retryOptions(options, lostTo);
          const result = await attempt({ ...options, ...instead }, destinations, request);
          return warning === undefined ? result : withFacts(result, { warnings: [...result.facts.warnings, warning] });
        },
        signal: either,
        log,
      });
      if (options.include === undefined) return captured;
      return withFacts(captured, { requestId: id, sha256: await hashOf(captured.file, either) });
    } finally {
      clearTimeout(timer);
    }
  };
}

function withFacts(captured: Captured, facts: Partial<CaptureFacts>): Captured {
  return { ...captured, facts: { ...captured.facts, ...facts } };
}

/** Hashes in chunks, so that other work can run in between. */
async function hashOf(file: Buffer, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for (const piece of piecesOf(file)) {
    hash.update(piece);
    await yieldToEventLoop(undefined, { signal });
  }
  return hash.digest('hex');
}

/**
 * Returns the error for the client. Adds the status of the page, and names a full temporary folder if it made the
 * browser fail.
 */
async function explained(error: unknown, { page }: PageLease): Promise<unknown> {
  if (error instanceof ServiceError) return withTargetStatus(error, page.mainFrame.current()?.status);
  if (isRetryable(error)) return error;
  const reason = await unlessFolderFull(error);
  if (!(reason instanceof TemporaryFolderFullError)) return error;
  return new ServiceError('InternalServerError', 'The temporary folder of the service is full', {
    cause: reason,
  });
}
