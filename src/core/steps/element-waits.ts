import { setTimeout as passed } from 'node:timers/promises';
import type { Page } from '../browser/page/page.ts';
import { ServiceError } from '../ground/errors.ts';
import { waitForElement, waitUntilHidden } from './in-page/wait-for-element.ts';

interface Selectors {
  readonly wait_for_selector?: string | undefined;
  readonly wait_for_selector_hidden?: string | undefined;
}

/** A wait for an element, or for the end of one. */
export interface ElementWait {
  readonly until: (page: Page) => Promise<void>;
  readonly late: (waitMs: number) => ServiceError;
}

/** Returns the waits that a request names. */
export function elementWaits({
  wait_for_selector: selector,
  wait_for_selector_hidden: hidden,
}: Selectors): readonly ElementWait[] {
  const waits: ElementWait[] = [];
  if (selector !== undefined)
    waits.push({
      until: (page) => page.evaluate(waitForElement, selector),
      late: (waitMs) => {
        const details = `wait_for_selector: no element matched ${selector} within ${waitMs} ms`;
        return new ServiceError('TimeoutError', 'The element to wait for did not appear in time', { details });
      },
    });
  if (hidden !== undefined)
    waits.push({
      until: (page) => page.evaluate(waitUntilHidden, hidden),
      late: (waitMs) => {
        const details = `wait_for_selector_hidden: an element that matches ${hidden} was still visible after ${waitMs} ms`;
        return new ServiceError('TimeoutError', 'The element did not disappear in time', { details });
      },
    });
  return waits;
}

/** True if the condition is met in time. */
export async function isMetWithin(page: Page, { until }: ElementWait, limitMs: number): Promise<boolean> {
  const met = until(page).then(() => true);
  return await Promise.race([met, passed(limitMs, false, { ref: false })]);
}

/** Returns the milliseconds until then: at least 1 ms, so that a condition that is met already is seen. */
export function remaining(endsAt: number): number {
  return Math.max(1, endsAt - performance.now());
}
