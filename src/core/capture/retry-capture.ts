import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  BrowserClosedError,
  isDocumentLost,
  isPaintingLost,
  isRetryable,
  NetworkLostError,
  PageStuckError,
  PrintingLostError,
  RendererCrashedError,
} from '../browser/browser-errors.ts';
import { ServiceError } from '../ground/errors.ts';
import type { Logger } from '../ground/log.ts';
import { asError, raceAbort } from '../ground/timeouts.ts';
import { createMutex } from '../ground/mutex.ts';
import type { WarningCode } from '../steps/common/step.ts';
import { doesNotAnswer } from '../steps/common/waiting.ts';
import type { CaptureOptions } from './request/options.ts';

/**
 * Delay before the retry. A crashed renderer may take the browser down a moment later: 1 of 150 killed renderers did,
 * after 25 ms (2026-11-21).
 */
const AFTERMATH_MS = 100;
const QUARANTINE_MS = 60_000;
const MAX_QUARANTINED = 1_000;

interface Work<T> {
  /** Text that identifies equal requests. A function, because the text may have 10 MB and is rarely needed. */
  readonly request: () => string;
  /** @param lostTo error of the first attempt; undefined for the first attempt */
  readonly attempt: (lostTo: unknown) => Promise<T>;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * Creates a function that retries an attempt once if it loses its tab or browser. When a browser crashes, any of its
 * captures may be the cause. Retries run one at a time, so that a request that crashes the browser again is identified.
 * That request is refused for one minute, without a third attempt.
 * @param now milliseconds of a monotonic clock
 */
export function createRetry(now: () => number = () => performance.now()): <T>(work: Work<T>) => Promise<T> {
  const quarantine = new Map<string, number>();
  const serialized = createMutex();

  return async ({ request, attempt, signal, log }) => {
    for (const [key, until] of quarantine) {
      if (until > now()) break; // oldest first
      quarantine.delete(key);
    }
    const keyOf = (): string => createHash('sha256').update(request()).digest('base64');
    if (quarantine.size > 0 && (quarantine.get(keyOf()) ?? 0) > now())
      throw new ServiceError(
        'PageCrashedError',
        'The page has just crashed the browser twice. It is refused for one minute',
      );
    try {
      return await attempt(undefined);
    } catch (error) {
      if (!isRetryable(error) || signal.aborted) throw toServiceError(error);
      log.warn({ err: error }, 'the page was lost: retrying once');
      await raceAbort(delay(AFTERMATH_MS), signal);
      const isSuspect = !isPartOfBrowser(error);
      try {
        return await (isSuspect ? serialized(() => attempt(error), signal) : attempt(error));
      } catch (second) {
        if (isRetryable(second)) log.warn({ err: second }, 'the page was lost again');
        if (isSuspect && isRetryable(second) && !isPartOfBrowser(second)) {
          if (quarantine.size >= MAX_QUARANTINED) quarantine.clear();
          quarantine.set(keyOf(), now() + QUARANTINE_MS);
        }
        throw toServiceError(second);
      }
    }
  };
}

/** True if a process of the browser ended, but not the browser. */
function isPartOfBrowser(error: unknown): boolean {
  return (
    error instanceof RendererCrashedError ||
    error instanceof NetworkLostError ||
    error instanceof PageStuckError ||
    error instanceof PrintingLostError ||
    isPaintingLost(error)
  );
}

function toServiceError(error: unknown): Error {
  if (isDocumentLost(error)) {
    const message = 'The page kept navigating during the capture';
    return new ServiceError('TimeoutError', message, { cause: error });
  }
  if (error instanceof PageStuckError) return doesNotAnswer();
  if (error instanceof RendererCrashedError || error instanceof PrintingLostError)
    return new ServiceError('PageCrashedError', undefined, { cause: error });
  if (isPaintingLost(error))
    return new ServiceError('InternalServerError', 'The browser failed to paint the page twice', {
      cause: error,
    });
  if (error instanceof BrowserClosedError || isRetryable(error)) {
    const message = 'The browser crashed twice during the capture';
    return new ServiceError('PageCrashedError', message, { cause: error });
  }
  return asError(error);
}

/** Options that differ on the retry because they broke the first attempt, and the warning for them. */
interface RetryOptions {
  readonly instead: Partial<CaptureOptions>;
  readonly warning?: WarningCode;
}

/** Real time that a page gets at its second attempt, when its time could not run ahead. */
const REAL_TIME_MS = 2_500;

/** @param lostTo error of the first attempt; undefined for the first attempt */
export function retryOptions(
  options: Pick<CaptureOptions, 'format' | 'run_ahead' | 'delay_capture' | 'pdf_tagged'>,
  lostTo: unknown,
): RetryOptions {
  const { format, run_ahead: ahead, delay_capture: delayMs, pdf_tagged: isTagged } = options;
  if (lostTo instanceof PageStuckError) {
    const waitMs = Math.max(delayMs, Math.min(ahead, REAL_TIME_MS));
    return { instead: { run_ahead: 0, delay_capture: waitMs }, warning: 'run_ahead_incomplete' };
  }
  // Tags need memory in addition to the document: a table of 80,000 cells on 430 pages takes 3.4 GB in the renderer,
  // 3.8 GB with tags (Chromium 153, 2026-11-22).
  if (lostTo instanceof PrintingLostError && format === 'pdf' && isTagged)
    return { instead: { pdf_tagged: false, pdf_outline: false }, warning: 'tags_left_out' };
  return { instead: {} };
}
