import { isDocumentLost } from '../../core/browser/browser-errors.ts';
import type { z } from 'zod';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import type { Page } from '../../core/browser/page/page.ts';
import type { Step, StepContext } from '../../core/steps/common/step.ts';
import { doesNotAnswer } from '../../core/steps/common/waiting.ts';
import { completePage } from '../../core/steps/readiness/complete-area.ts';
import { drainRequests } from '../../core/steps/readiness/readiness.ts';
import { runAhead } from '../../core/steps/readiness/run-ahead.ts';
import { checkSelector } from '../../core/steps/area.ts';
import { type Action, actionFields } from './action-fields.ts';
import { holdHover } from './hold-hover.ts';
import { performAction } from './perform-action.ts';
import { ActionFailure, explainAction, nameAction, type Stage, untilDrawn } from './stage.ts';

const schema = actionFields.extend(runAhead.schema.shape).extend(completePage.schema.shape);

/** Validates the selectors on the blank page, so that an invalid one fails before any page is loaded. */
export const actionsCheck: Step<typeof actionFields> = {
  name: 'actions-check',
  schema: actionFields,
  apply: async (page, { actions: requested = [] }) => {
    const checks = requested.map(async (action, index) => {
      if ('selector' in action && action.selector !== undefined)
        await checkSelector(page, `actions[${index}].selector`, action.selector);
    });
    await Promise.all(checks);
  },
};

/** Runs the actions of the request one after the other, after requests have ended and page time has run ahead. */
export const actions: Step<typeof schema> = {
  name: 'actions',
  schema,
  boundsItself: true,
  apply: async (page, options, context) => {
    if (options.actions === undefined || options.actions.length === 0) return;
    // Headless shell cancels file dialogs itself. A browser with windows would open one and wait for a user.
    await page.send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true });
    const limitMs = context.waitMs + LIMIT_MS.step;
    await withTimeout(runUntilIdle(page, options, context), limitMs, doesNotAnswer);
    if (context.isScrolled) await withTimeout(completePage.apply(page, options, context), limitMs, doesNotAnswer);
    context.acted.document = page.mainFrame.current();
    for (const [index, action] of options.actions.entries()) await act(page, action, { index, context });
    if (context.leavesWindow && options.actions.some(usesMouse)) await holdHover(page);
    // Reads the address at the end instead of by events, because a page can navigate within itself endlessly.
    const address = page.evaluate(() => location.href.slice(0, 65_536));
    page.mainFrame.hasMovedTo(await withTimeout(address, limitMs, doesNotAnswer));
  },
};

/** True for an action that leaves the mouse on an element. */
function usesMouse({ type }: Action): boolean {
  return type === 'hover' || type === 'click' || type === 'check';
}

async function runUntilIdle(
  page: Page,
  options: z.output<typeof runAhead.schema>,
  context: StepContext,
): Promise<void> {
  await context.settle();
  await drainRequests(page, context);
  await runAhead.apply(page, options, context);
  await context.settle();
}

async function act(
  page: Page,
  action: Action,
  { index, context }: { readonly index: number; readonly context: StepContext },
): Promise<void> {
  const { waitMs, settle, goTo } = context;
  const isOptional = 'optional' in action && action.optional;
  const patienceMs = isOptional ? Math.min(waitMs, LIMIT_MS.optionalAction) : waitMs;
  const delayMs = action.type === 'wait' ? (action.milliseconds ?? 0) : 0;
  const stage: Stage = {
    page,
    endsAt: performance.now() + patienceMs,
    settle,
    goTo,
    drain: async () => void (await drainRequests(page, context)),
  };
  page.mainFrame.countAnew();
  try {
    const limitMs = 2 * waitMs + delayMs + LIMIT_MS.step; // time for the page to become idle, and for the element
    await withTimeout(performAction(stage, action), limitMs, doesNotAnswer);
    await untilDrawn(page);
    await settle();
  } catch (error) {
    if (isOptional && (error instanceof ActionFailure || isDocumentLost(error))) return;
    throw explainAction(nameAction(action, index), error);
  }
}
