import type { z } from 'zod';
import { isDocumentLost, isPromiseLost } from '../browser/browser-errors.ts';
import { InPageError } from '../browser/page/evaluate.ts';
import type { Page } from '../browser/page/page.ts';
import { ServiceError, validationError } from '../ground/errors.ts';
import { LIMIT_MS } from '../ground/time-limits.ts';
import { raceAbort } from '../ground/timeouts.ts';
import { choiceField, fieldsOf, firstLine, integerField, textField } from './common/fields.ts';
import { isTruthy, untilTruthy } from './in-page/until-truthy.ts';
import type { Step, StepContext } from './common/step.ts';
import { elementWaits, isMetWithin, remaining } from './element-waits.ts';
import { delay, waitAtMost } from './common/waiting.ts';
import { checkSelector, MAX_SELECTOR_LENGTH } from './area.ts';

const QUIET_MS = 500;
const IN_FLIGHT_LIMITS = { idle: 0, mostly_idle: 2 } as const;

/** Polling interval of the condition. */
const POLL_MS = 50;
/**
 * Interval at which the condition is checked even if no request is awaited, because page time may run ahead for 4 s.
 */
const LONG_MS = 1_000;

const MAX_EXPRESSION_LENGTH = 10_000;
const MAX_DELAY_MS = 30_000;

/** Upper limit of the setting for `wait_for_timeout`: one day. */
const LARGEST_WAIT_MS = 86_400_000;

const schema = fieldsOf('wait', {
  wait_for_selector: textField(MAX_SELECTOR_LENGTH, {
    description:
      'Wait until an element matches this CSS selector in the document, its open shadow trees or same-origin frames. Starts after `run_ahead`, and holds until after the scroll of a whole page or an element',
    example: '#loaded',
  }).optional(),
  wait_for_selector_hidden: textField(MAX_SELECTOR_LENGTH, {
    description:
      'Wait until no visible element matches this CSS selector, for example a spinner. Elements without size, with `visibility: hidden` or `opacity: 0` are not visible',
    example: '.spinner',
  }).optional(),
  wait_for_network: choiceField(['idle', 'mostly_idle'], {
    description: 'Wait until no request (`idle`), or at most two (`mostly_idle`), have been in flight for 500 ms',
    example: 'idle',
  }).optional(),
  wait_for_function: textField(MAX_EXPRESSION_LENGTH, {
    description:
      'Wait until this JavaScript expression or function of the page returns a truthy value, after a full page was scrolled. If it becomes true after load, the capture waits for no other requests',
    example: 'window.chartsDrawn === 3',
  }).optional(),
  delay_capture: integerField(
    { min: 0, max: MAX_DELAY_MS },
    {
      description: 'Pause after all waits and before the capture, in milliseconds of real time',
      example: 500,
    },
  ).default(0),
  wait_for_timeout: integerField(
    { min: 1, max: LARGEST_WAIT_MS },
    {
      description:
        'Time limit of each wait (page load, network, elements, function, script), in milliseconds. A maximum, not a pause',
      example: 10000,
      accepts: 'whole number from 1 to `MAX_WAIT_MS`',
    },
  ).default(30_000),
});

/** Validates selector and expression on the blank page, so that an invalid one fails before any page is loaded. */
export const waitsCheck: Step<typeof schema> = {
  name: 'waits-check',
  schema,
  apply: async (page, options) => {
    const { wait_for_function: expression } = options;
    for (const field of ['wait_for_selector', 'wait_for_selector_hidden'] as const) {
      const selector = options[field];
      if (selector !== undefined) await checkSelector(page, field, selector);
    }
    if (expression !== undefined) await checkExpression(page, expression);
  },
};

/**
 * Waits for `wait_for_selector` and `wait_for_selector_hidden`. If the page is scrolled later, waits a short time only:
 * what is missing may appear with the scroll, and `elementAfterScroll` waits for it.
 */
export const element: Step<typeof schema> = {
  name: 'element',
  schema,
  boundsItself: true,
  apply: async (page, options, context) => {
    const { waitMs, isScrolled, awaited } = context;
    const endsAt = performance.now() + waitMs;
    const patience = isScrolled ? Math.min(waitMs, LIMIT_MS.elementBeforeScroll) : waitMs;
    for (const wait of elementWaits(options)) {
      const isMet = await isMetWithin(page, wait, Math.min(patience, remaining(endsAt)));
      if (isMet) continue;
      if (!isScrolled) throw wait.late(waitMs);
      awaited.elementUntil = endsAt;
      return;
    }
  },
};

/** Waits for the elements that were not there before the page was scrolled. Returns true if it has waited. */
export async function waitAfterScroll(
  page: Page,
  options: z.output<typeof schema>,
  { waitMs, awaited }: StepContext,
): Promise<boolean> {
  const endsAt = awaited.elementUntil;
  if (endsAt === undefined) return false;
  awaited.elementUntil = undefined;
  for (const wait of elementWaits(options))
    if (!(await isMetWithin(page, wait, remaining(endsAt)))) throw wait.late(waitMs);
  return true;
}

/** Waits for `wait_for_network`. */
export const quietNetwork: Step<typeof schema> = {
  name: 'quiet-network',
  schema,
  apply: async (page, { wait_for_network: level }, context) => {
    if (level !== undefined) await waitForQuiet(page, level, context);
  },
};

/**
 * Watches from load on whether the condition of `wait_for_function` is met. From then on, the capture waits neither for
 * requests nor for page time.
 */
export const earlySignal: Step<typeof schema> = {
  name: 'early-signal',
  schema,
  apply: async (page, { wait_for_function: expression }, context) => {
    // the page is lost
    if (expression !== undefined) void watchCondition(page, expression, context.ready).catch(() => undefined);
  },
};

/**
 * Waits for `wait_for_function`. Runs after scrolling, because the page may set its signal only when everything was in
 * view.
 */
export const readySignal: Step<typeof schema> = {
  name: 'ready-signal',
  schema,
  apply: async (page, { wait_for_function: expression }, context) => {
    if (expression !== undefined) await waitForFunction(page, expression, context);
  },
};

/** Waits for `delay_capture`. */
export const delayCapture: Step<typeof schema> = {
  name: 'delay-capture',
  schema,
  apply: async (page, { delay_capture: delayMs }) => {
    if (delayMs > 0) await delay(page, delayMs);
  },
};

/**
 * A condition that is already met at load does not show that the page is ready, so it ends no wait. Polls from outside,
 * and only while something is awaited: a timer in the page would keep it busy, and page time would run ahead to its
 * end.
 */
async function watchCondition(page: Page, expression: string, ready: StepContext['ready']): Promise<void> {
  const script = `if (!(await (${isTruthy.toString()})(${toProbe(expression)}))) throw new Error('not yet')`;
  const isMet = (): Promise<boolean> =>
    page.runInPageWorld(script).then(
      () => true,
      () => false,
    );
  const startedAt = performance.now();
  if (await isMet()) return;
  while (!ready.isMet && !page.signal.aborted) {
    await delay(page, POLL_MS);
    const isLong = performance.now() - startedAt > LONG_MS;
    if (ready.isMet || !(isLong || page.requests.arePending()) || !(await isMet())) continue;
    ready.isMet = true;
    page.requests.stopWaiting();
  }
}

/**
 * Wraps the expression in a function, in parentheses and on its own lines so that it can end with a comment. Does not
 * run it.
 */
function toProbe(expression: string): string {
  return `(() => (\n${expression}\n))`;
}

/** @throws ServiceError ValidationError if the text is not an expression */
async function checkExpression(page: Page, expression: string): Promise<void> {
  try {
    await page.runInPageWorld(toProbe(expression));
  } catch (error) {
    if (!(error instanceof InPageError)) throw error;
    const details = `wait_for_function: must be a JavaScript expression (${firstLine(error.message)})`;
    throw validationError(details, error);
  }
}

/** Evaluates again if the page navigates meanwhile. */
async function waitForFunction(page: Page, expression: string, { waitMs, ready }: StepContext): Promise<void> {
  const timeUp = AbortSignal.timeout(waitMs);
  const timeout = (): ServiceError => {
    const details = `wait_for_function: returned no truthy value within ${waitMs} ms`;
    return new ServiceError('TimeoutError', 'The condition of wait_for_function was not met in time', {
      details,
    });
  };
  const script = `await (${untilTruthy.toString()})(${toProbe(expression)})`;
  while (!timeUp.aborted) {
    try {
      await raceAbort(page.runInPageWorld(script), timeUp);
      ready.isMet = true;
      return;
    } catch (error) {
      if (timeUp.aborted || isPromiseLost(error)) break;
      if (!isDocumentLost(error)) throw error;
    }
  }
  page.signal.throwIfAborted();
  throw timeout();
}

/** On timeout, adds a warning instead of failing. */
async function waitForQuiet(page: Page, level: keyof typeof IN_FLIGHT_LIMITS, context: StepContext): Promise<void> {
  const quiet = await waitAtMost(page, context.waitMs, (signal) =>
    page.requests.quiet(IN_FLIGHT_LIMITS[level], QUIET_MS, signal),
  );
  if (!quiet) context.warn('network_not_idle');
}
