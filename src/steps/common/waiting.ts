import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '../../browser/page/page.ts';
import { ServiceError } from '../../errors.ts';

/**
 * Waits at most so many milliseconds; false when the time was up before what is waited for had come. The wait ends early, without
 * an error of its own, when its signal fires.
 * @throws Error the page's own reason when it is lost, or the capture over.
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
 * Lets so many milliseconds go by.
 * @throws Error as `waitAtMost`.
 */
export async function letPass(page: Page, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: page.signal }).catch(() => undefined);
  page.signal.throwIfAborted();
}

/** For work on a page that has loaded, which takes longer than all that it waits for. */
export function doesNotAnswer(): ServiceError {
  return new ServiceError('TimeoutError', 'The page does not answer', {
    details: 'it has loaded, and a script of it seems to run without end',
  });
}
