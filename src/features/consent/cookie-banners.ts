import type { z } from 'zod';
import type { Page } from '../../core/browser/page/page.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { booleanField, fieldsOf } from '../../core/steps/common/fields.ts';
import type { Step, StepContext } from '../../core/steps/common/step.ts';
import { delay, waitAtMost } from '../../core/steps/common/waiting.ts';
import { canAct } from '../../core/steps/readiness/in-page/can-act.ts';
import { heapSize, isAtRest, restsWith } from '../../core/steps/readiness/at-rest.ts';
import { timeFields } from '../../core/steps/readiness/run-ahead.ts';
import { visitor } from '../../core/steps/visitor.ts';
import { type BannerWatch, watchBanners } from './clear-page.ts';

export const bannerFields = fieldsOf('look', {
  block_cookie_banners: booleanField({
    description: "Reject cookie banners, and remove those that can't be rejected. Nothing is ever accepted",
    example: true,
  }).default(false),
});

const schema = bannerFields.extend(visitor.schema.pick({ javascript: true }).shape).extend(timeFields.shape);
type Options = z.output<typeof schema>;

/** Page time to wait for banners that a timer opens, before actions or scripts of the request run. */
const LATE_MS = 1_000;
const LATE_TIMES = 2;

const watches = new WeakMap<Page, BannerWatch>();
const seenAtRest = new WeakSet<BannerWatch>();

/**
 * Rejects the banner of the loaded page. `clear-page.ts` does it, and `in-page/find-reject-button.ts` finds the button.
 */
export const cookieBanners: Step<typeof schema> = {
  name: 'cookie-banners',
  schema,
  apply: async (page, options, context) => {
    if (!options.block_cookie_banners) return;
    const watch = await watchBanners(page);
    watches.set(page, watch);
    await clear(watch, options, context);
    if (context.isActedOn) await awaitLate(page, watch, options, context);
  },
};

/**
 * Checks again for banners that appeared after a timer, a scroll or a navigation. Skipped if the page can't act, or was
 * idle since the last check.
 */
export const lateCookieBanners: Step<typeof schema> = {
  name: 'late-cookie-banners',
  schema,
  apply: async (page, options, context) => {
    const watch = watches.get(page);
    if (watch === undefined) return;
    if (!context.isActedOn && !(await page.evaluate(canAct))) return;
    const rests = await isAtRest(page);
    if (rests && seenAtRest.has(watch)) return;
    await clear(watch, options, context);
    if (!rests || watch.hasFound()) return;
    restsWith(page, await heapSize(page)); // our own check caused this activity
    seenAtRest.add(watch);
  },
};

/** Adds the warning for a banner that is still open. */
export const cookieBannerCheck: Step<typeof schema> = {
  name: 'cookie-banner-check',
  schema,
  apply: async (page, _options, { warn }) => {
    const watch = watches.get(page);
    if ((await watch?.isOpen()) === true) warn('cookie_banner_open');
  },
};

function clear(watch: BannerWatch, { javascript }: Options, { settle }: StepContext): Promise<void> {
  return watch.clear({ mayRefuse: javascript, settle });
}

/**
 * A banner that appears a second after load would cover the page during custom scripts or actions. So page time runs
 * ahead for it. If `run_ahead` is off, real time passes instead. Without scripts or actions, later checks find the
 * banner at no cost.
 */
async function awaitLate(page: Page, watch: BannerWatch, options: Options, context: StepContext): Promise<void> {
  if (watch.hasFound() || !options.javascript || !(await page.evaluate(canAct))) return;
  const drain = (): Promise<boolean> =>
    waitAtMost(page, LIMIT_MS.bannerRequests, (signal) => page.requests.drain(signal));
  if (page.requests.arePending()) await drain();
  if (options.run_ahead === 0) {
    await delay(page, LIMIT_MS.bannerRequests);
    await clear(watch, options, context);
    return;
  }
  for (let times = 0; times < LATE_TIMES && !watch.hasFound(); times++) {
    await page.clock.advance(LATE_MS);
    if (page.requests.arePending()) await drain();
    await clear(watch, options, context);
  }
}
