import { z } from 'zod';
import type { Page } from '../../browser/page.ts';
import { ServiceError } from '../../errors.ts';
import { raceTimeout } from '../../race.ts';
import { choiceField, integerField, textField } from '../fields.ts';
import { waitForElement } from '../in-page/wait-for-element.ts';
import type { Step, StepContext } from '../step.ts';
import { checkSelector, MAX_SELECTOR_LENGTH } from './area.ts';

const QUIET_MS = 500;
const IN_FLIGHT_LIMITS = { idle: 0, mostly_idle: 2 } as const;

/** No larger `wait_for_timeout` can be configured: a day. */
const LARGEST_WAIT_MS = 86_400_000;

const schema = z.object({
  wait_for_selector: textField(MAX_SELECTOR_LENGTH, {
    description: 'Wait until an element that matches this CSS selector is in the document',
    example: '#loaded',
  }).optional(),
  wait_for_network: choiceField(['idle', 'mostly_idle'], {
    description:
      'Wait until nothing (`idle`), or at most two requests (`mostly_idle`), has been in flight for 500 ms',
    example: 'idle',
  }).optional(),
  wait_for_timeout: integerField(
    { min: 1, max: LARGEST_WAIT_MS },
    {
      description:
        'The longest that each wait (page load, network, element) may take, in milliseconds. A maximum, not a pause',
      example: 10000,
      accepts: 'whole number from 1 to `MAX_WAIT_MS`',
    },
  ).default(30_000),
});

/** Checks the selector to wait for while the page is still blank: a wrong one is an error before any page is loaded. */
export const waitsCheck: Step<typeof schema> = {
  name: 'waits-check',
  schema,
  apply: async (page, options) => {
    if (options.wait_for_selector === undefined) return;
    await checkSelector(page, 'wait_for_selector', options.wait_for_selector);
  },
};

/** Waits for what the client names: an element, a quiet network. */
export const waits: Step<typeof schema> = {
  name: 'waits',
  schema,
  apply: async (page, options, context) => {
    if (options.wait_for_selector !== undefined)
      await waitForSelector(page, options.wait_for_selector, context);
    if (options.wait_for_network !== undefined) await waitForQuiet(page, options.wait_for_network, context);
  },
};

async function waitForSelector(page: Page, selector: string, { waitMs }: StepContext): Promise<void> {
  const found = page.evaluate(waitForElement, selector);
  await raceTimeout(found, waitMs, () => {
    const details = `wait_for_selector: no element matched ${selector} within ${waitMs} ms`;
    return new ServiceError('TimeoutError', 'The element to wait for did not appear in time', { details });
  });
}

/** A network that does not become quiet is no error: the picture is taken, and the client told. */
async function waitForQuiet(
  page: Page,
  level: keyof typeof IN_FLIGHT_LIMITS,
  context: StepContext,
): Promise<void> {
  const timeUp = AbortSignal.any([AbortSignal.timeout(context.waitMs), page.signal]);
  await page.requests.quiet(IN_FLIGHT_LIMITS[level], QUIET_MS, timeUp);
  page.signal.throwIfAborted();
  if (timeUp.aborted) context.warn('network_not_idle');
}
