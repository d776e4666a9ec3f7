import { fieldsOf, integerField } from '../fields.ts';
import type { Step } from '../step.ts';
import { appearanceCheck } from './appearance.ts';
import { firstBeat, letLive } from './page-time.ts';
import { drainRequests } from './readiness.ts';

const REAL_LIMIT_MS = 4_000;

export const timeFields = fieldsOf('wait', {
  run_ahead: integerField(
    { min: 0, max: 30_000 },
    {
      description:
        "Milliseconds of the page's own time (timers, frames, `Date`) that pass after load, as fast as they can and for at most some 4 s: preloaders, charts and text that is typed come to their end. 0: none",
      example: 0,
    },
  ).default(2_500),
});

const schema = timeFields.extend(appearanceCheck.schema.pick({ disable_animations: true }).shape);

/** Lets the page's time run ahead of ours, until nothing is left to happen in it. A page that can't act pays nothing. */
export const runAhead: Step<typeof schema> = {
  name: 'run-ahead',
  schema,
  apply: async (page, { run_ahead: pageMs, disable_animations: endsAnimations }, context) => {
    if (pageMs === 0) return;
    const first = await firstBeat(page, context.isScripted);
    if (first === undefined) return;
    await drainRequests(page, context);
    if (!first.hasTimers && !first.asksForFrames) return;
    const isThrough = await letLive(page, first, { pageMs, realMs: REAL_LIMIT_MS, endsAnimations });
    if (!isThrough) context.warn('run_ahead_incomplete');
  },
};
