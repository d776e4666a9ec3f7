import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { isBeginning } from '../../browser/page/in-page/count-changes.ts';
import type { Page } from '../../browser/page/page.ts';
import { fieldsOf, integerField } from '../common/fields.ts';
import { isActed, type Step, type StepContext } from '../common/step.ts';
import { appearanceCheck } from '../appearance.ts';
import { probeFirstFrame } from './frame-probe.ts';
import { advancePageTime } from './page-time.ts';
import { drainRequests } from './readiness.ts';
import { drawsSlowly, heapSize, restsWith } from './at-rest.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';
import { raceAbort } from '../../ground/timeouts.ts';

const DEFAULT_MS = 6_000;
/** In the last part, the page is watched: it may still be changing. */
const WATCHED_MS = 1_000;
/** The last part of the default, for intros and messages. Its limit keeps endless heavy frames from costing much. */
const DEFAULT_LAST_PART = { pageMs: 3_500, realMs: LIMIT_MS.runAheadLonger };

export const timeFields = fieldsOf('wait', {
  run_ahead: integerField(
    { min: 0, max: 30_000 },
    {
      description:
        'Milliseconds of page time (timers, animation frames, `Date`) to run ahead after load, in at most 4 s of real time, so that preloaders, charts, intros and typed text are finished. Stops early when nothing is pending. By default, the part after 2,500 ms takes at most 1 s of real time. Each screen of a full page gets 400 ms more. 0: off',
      example: 0,
    },
  ).default(DEFAULT_MS),
});

const CHECK_MS = 50;
/** Page time after actions, which may have opened a message that ends by itself. */
const AFTER_ACTIONS_MS = 1_000;
/** Page time for effects of messages, and of work that has ended. */
const AFTER_MESSAGE_MS = 500;
/** Characters below which a page without a picture may not have begun. */
const LEAST_TEXT = 100;

const schema = timeFields.extend(appearanceCheck.schema.pick({ disable_animations: true }).shape);

/** Runs page time ahead of real time until nothing is pending. Costs nothing on pages that can't act. */
export const runAhead: Step<typeof schema> = {
  name: 'run-ahead',
  phase: 'ahead',
  schema,
  apply: async (page, options, context) => {
    const mayShowMore = await passTime(page, options, context);
    if (
      mayShowMore &&
      !isActed(page, context) &&
      (await page.scripts.awaitsTimer()) &&
      (await page.evaluate(isBeginning, LEAST_TEXT))
    )
      context.warn('timers_pending');
  },
};

/** Returns true if the page may have timers that are due later. */
async function passTime(page: Page, options: z.output<typeof schema>, context: StepContext): Promise<boolean> {
  const { run_ahead, disable_animations: endsAnimations } = options;
  const { runAhead: realMs } = LIMIT_MS;
  const lastPart = run_ahead === DEFAULT_MS ? DEFAULT_LAST_PART : { pageMs: WATCHED_MS, realMs };
  let left = { pageMs: isActed(page, context) && run_ahead === DEFAULT_MS ? AFTER_ACTIONS_MS : run_ahead, realMs };
  let isNew = !context.isActedOn;
  let until: number | undefined; // for messages and work together
  while (left.pageMs > 0) {
    const document = page.mainFrame.current();
    const hasNavigated = (): boolean => page.mainFrame.isLeaving() || page.mainFrame.current() !== document;
    const first = await probeFirstFrame(page, context.isActedOn || page.channels.areOpen());
    if (first !== undefined && isNew && (await context.interact())) {
      isNew = false;
      continue; // with what it has started
    }
    const hasDrained = first !== undefined && (await drainRequests(page, context));
    if (hasNavigated()) {
      await context.settle(); // the remaining time is for the new document
      continue;
    }
    if (first === undefined) return false;
    const isActive = first.requestsFrames || first.isActive || page.children.haveWorkers() || page.channels.areOpen();
    until ??= performance.now() + LIMIT_MS.work;
    const hasWorked = await waitForWork(page, context, until);
    if (performance.now() >= until) return false; // endless work: the time of the page would hardly pass
    if (!isActive && !hasDrained && !hasWorked) {
      restsWith(page, await heapSize(page));
      return false;
    }
    left = await advancePageTime(page, first, {
      ...left,
      lastPart,
      endsAnimations,
      warn: context.warn,
      ready: context.ready,
    });
    if (left.realMs === 0) {
      context.warn('run_ahead_incomplete');
      drawsSlowly(page);
    }
    if (left.realMs === 0 || context.ready.isMet) return false;
    if (hasNavigated()) {
      await context.settle();
      continue;
    }
    const { hasCome, isInTime } = await raceAbort(page.channels.settle(until), page.signal);
    if (!isInTime) context.warn('streams_pending');
    if (!hasCome && !(await waitForWork(page, context, until))) return true;
    left = { pageMs: AFTER_MESSAGE_MS, realMs: left.realMs };
  }
  return run_ahead > 0; // otherwise the request decides how long it waits
}

/**
 * Waits for work that the page awaits, and for the frames that its workers draw. Adds a warning for work that exceeds
 * the limit. False if there was none.
 */
async function waitForWork(page: Page, { warn }: Pick<StepContext, 'warn'>, until: number): Promise<boolean> {
  let hasWorked = false;
  while (await page.scripts.isWorking()) {
    hasWorked = true;
    if (performance.now() >= until) {
      warn('work_pending');
      return false;
    }
    await delay(CHECK_MS);
  }
  return (await waitForWorkerFrames(page)) || hasWorked;
}

async function waitForWorkerFrames({ children }: Page): Promise<boolean> {
  if (!children.haveWorkers()) return false;
  const end = performance.now() + LIMIT_MS.workerFrames;
  await children.workersDraw();
  for (let hasDrawn = false; ; hasDrawn = true) {
    await delay(2 * CHECK_MS);
    if (performance.now() >= end || !(await children.workersDraw())) return hasDrawn;
  }
}
