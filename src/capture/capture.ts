import {
  BrowserGoneError,
  isDocumentLost,
  isWorthAnotherTry,
  RendererCrashedError,
} from '../browser/browser-errors.ts';
import type { PageLease, PagePool } from '../browser/page-pool.ts';
import type { Destinations } from '../egress/destination.ts';
import { ServiceError } from '../errors.ts';
import type { Rendering } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';
import type { Logger } from '../log.ts';
import { asError, raceAbort } from '../race.ts';
import { navigate, settle } from './navigation.ts';
import { checkDestination, explainFailure } from './navigation-failure.ts';
import type { CaptureOptions } from './options.ts';
import { AFTER_LOAD, BEFORE_NAVIGATION } from './pipeline.ts';
import type { StepContext, WarningCode } from './step.ts';
import { createStopwatch, type Phase } from './stopwatch.ts';

const MAX_RENDERINGS = 3;

export interface CaptureResult extends Rendering {
  /** HTTP status of the page itself; undefined for supplied markup. */
  readonly targetStatus: number | undefined;
  /** Where the page ended up after redirects. */
  readonly targetUrl: string | undefined;
  /** Connections of the page that the egress rules refused. */
  readonly blockedRequests: number;
  readonly warnings: readonly WarningCode[];
  /** Milliseconds in each phase, of the try that succeeded. */
  readonly timings: Readonly<Record<Phase, number>>;
}

interface CaptureContext {
  /** Fires when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * One request in, one result out.
 * @throws ServiceError for everything that is expected to go wrong.
 */
export type Capture = (options: CaptureOptions, context: CaptureContext) => Promise<CaptureResult>;

interface CaptureDependencies {
  readonly pool: PagePool;
  /** The egress decisions for one capture: a second try must not resolve again. */
  readonly openDestinations: () => Destinations;
  readonly captureTimeoutMs: number;
  readonly maxPixels: number;
}

/** A capture by a page of the pool. A browser or tab that dies under it is replaced, once, within the same deadline. */
export function createCapture(dependencies: CaptureDependencies): Capture {
  const { pool, openDestinations, captureTimeoutMs, maxPixels } = dependencies;

  const attempt = async (
    options: CaptureOptions,
    destinations: Destinations,
    signal: AbortSignal,
  ): Promise<CaptureResult> => {
    const stopwatch = createStopwatch();
    const lease = await pool.lease(destinations, signal);
    try {
      return await captureOn(lease, options, { maxPixels, stopwatch });
    } finally {
      lease.release();
    }
  };

  return async (options, { signal, log }) => {
    FORMATS[options.format].check(options, { maxPixels });
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort(new ServiceError('TimeoutError', `The capture took longer than ${captureTimeoutMs} ms`));
    }, captureTimeoutMs);
    const either = AbortSignal.any([signal, deadline.signal]);
    const destinations = openDestinations();
    try {
      if (options.url !== undefined) await raceAbort(checkDestination(destinations, options.url), either);
      return await attempt(options, destinations, either);
    } catch (error) {
      if (!isWorthAnotherTry(error) || either.aborted) throw toServiceError(error);
      log.warn({ err: error }, 'the page was lost: trying once more');
      return await attempt(options, destinations, either).catch((second: unknown) => {
        throw toServiceError(second);
      });
    } finally {
      clearTimeout(timer);
    }
  };
}

async function captureOn(
  { page, pass }: PageLease,
  options: CaptureOptions,
  {
    maxPixels,
    stopwatch,
  }: { readonly maxPixels: number; readonly stopwatch: ReturnType<typeof createStopwatch> },
): Promise<CaptureResult> {
  const format = FORMATS[options.format];
  const warnings = new Set<WarningCode>();
  const context: StepContext = {
    waitMs: options.wait_for_timeout,
    format: options.format,
    wholePage: options.full_page || format.showsWholePage,
    warn: (code) => warnings.add(code),
  };

  const bounds = { waitMs: context.waitMs, explain: explainFailure.bind(undefined, pass) };

  stopwatch.lap('queue');
  await Promise.all(BEFORE_NAVIGATION.map((step) => step.apply(page, options, context)));
  await navigate(page, options, bounds);
  stopwatch.lap('navigate');
  for (const step of AFTER_LOAD) {
    await step.apply(page, options, context);
    await settle(page, bounds);
  }
  stopwatch.lap('wait');
  const rendering = await whileItStays(
    () => format.render(page, options, { maxPixels }),
    () => settle(page, bounds),
  );
  stopwatch.lap('render');

  const document = page.mainFrame.current();
  return {
    ...rendering,
    targetStatus: document?.status,
    targetUrl: options.url === undefined ? undefined : document?.url,
    blockedRequests: pass.refusedCount(),
    warnings: [...warnings],
    timings: stopwatch.laps(),
  };
}

/** Renders again when the page has left meanwhile: for another document, or for a place that it may not reach. */
async function whileItStays<T>(render: () => Promise<T>, settled: () => Promise<void>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const rendering = await render();
      await settled();
      return rendering;
    } catch (error) {
      if (!isDocumentLost(error) || attempt === MAX_RENDERINGS) throw error;
      await settled();
    }
  }
}

function toServiceError(error: unknown): Error {
  if (error instanceof RendererCrashedError)
    return new ServiceError('PageCrashedError', undefined, { cause: error });
  if (error instanceof BrowserGoneError) {
    const message = 'The browser was lost twice while it captured the page';
    return new ServiceError('PageCrashedError', message, { cause: error });
  }
  return asError(error);
}
