import { BrowserGoneError, isWorthAnotherTry, RendererCrashedError } from '../browser/browser-errors.ts';
import type { Page } from '../browser/page.ts';
import type { PagePool } from '../browser/page-pool.ts';
import { ServiceError } from '../errors.ts';
import type { Rendering } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';
import type { Logger } from '../log.ts';
import { asError } from '../race.ts';
import { navigate, settle } from './navigation.ts';
import type { CaptureOptions } from './options.ts';
import { AFTER_LOAD, BEFORE_NAVIGATION } from './pipeline.ts';
import type { StepContext, WarningCode } from './step.ts';
import { createStopwatch, type Phase } from './stopwatch.ts';

export interface CaptureResult extends Rendering {
  /** HTTP status of the page itself; undefined for supplied markup. */
  readonly targetStatus: number | undefined;
  /** Where the page ended up after redirects. */
  readonly targetUrl: string | undefined;
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
  readonly captureTimeoutMs: number;
  readonly maxPixels: number;
}

/** A capture by a page of the pool. A browser or tab that dies under it is replaced, once, within the same deadline. */
export function createCapture(dependencies: CaptureDependencies): Capture {
  const { pool, captureTimeoutMs, maxPixels } = dependencies;

  const attempt = async (options: CaptureOptions, signal: AbortSignal): Promise<CaptureResult> => {
    const stopwatch = createStopwatch();
    const { page, release } = await pool.lease(signal);
    try {
      return await captureOn(page, options, { maxPixels, stopwatch });
    } finally {
      release();
    }
  };

  return async (options, { signal, log }) => {
    FORMATS[options.format].check(options, { maxPixels });
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort(new ServiceError('TimeoutError', `The capture took longer than ${captureTimeoutMs} ms`));
    }, captureTimeoutMs);
    const either = AbortSignal.any([signal, deadline.signal]);
    try {
      return await attempt(options, either);
    } catch (error) {
      if (!isWorthAnotherTry(error) || either.aborted) throw toServiceError(error);
      log.warn({ err: error }, 'the page was lost: trying once more');
      return await attempt(options, either).catch((second: unknown) => {
        throw toServiceError(second);
      });
    } finally {
      clearTimeout(timer);
    }
  };
}

async function captureOn(
  page: Page,
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

  stopwatch.lap('queue');
  await Promise.all(BEFORE_NAVIGATION.map((step) => step.apply(page, options, context)));
  await navigate(page, options, context.waitMs);
  stopwatch.lap('navigate');
  for (const step of AFTER_LOAD) {
    await step.apply(page, options, context);
    await settle(page, context.waitMs);
  }
  stopwatch.lap('wait');
  const rendering = await format.render(page, options, { maxPixels });
  stopwatch.lap('render');

  const document = page.mainFrame.current();
  if (document?.failure !== undefined) await settle(page, context.waitMs); // it left for a dead end while it was rendered
  return {
    ...rendering,
    targetStatus: document?.status,
    targetUrl: options.url === undefined ? undefined : document?.url,
    warnings: [...warnings],
    timings: stopwatch.laps(),
  };
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
