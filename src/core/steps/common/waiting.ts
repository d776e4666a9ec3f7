import { setTimeout } from 'node:timers/promises';
import type { Page } from '../../browser/page/page.ts';
import { ServiceError } from '../../ground/errors.ts';

/**
 * Waits for at most this time. Returns false on timeout. Ends early, without an error of its own, when its signal
 * fires.
 * @throws Error if the page is lost or the capture has ended
 */
export async function waitAtMost(
  page: Page,
  limitMs: number,
  wait: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const timeUp = AbortSignal.timeout(limitMs);
  await wait(AbortSignal.any([timeUp, page.signal]));
  page.signal.throwIfAborted();
  return !timeUp.aborted;
}

/**
 * Waits for this number of milliseconds.
 * @throws Error as `waitAtMost`
 */
export async function delay(page: Page, ms: number): Promise<void> {
  await setTimeout(ms, undefined, { signal: page.signal }).catch(() => undefined);
  page.signal.throwIfAborted();
}

/** Creates the error for work on a loaded page that exceeds all of its own limits. */
export function doesNotAnswer(): ServiceError {
  return new ServiceError('TimeoutError', 'The page does not answer', {
    details: 'the page has loaded, but one of its scripts seems to run endlessly',
  });
}
