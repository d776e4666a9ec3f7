import { canAct } from '../in-page/can-act.ts';
import { expandScroller } from '../in-page/expand-scroller.ts';
import { revealSkipped } from '../in-page/reveal-skipped.ts';
import { scrollThrough } from '../in-page/scroll-through.ts';
import type { Step } from '../step.ts';
import { area } from './area.ts';
import { drainRequests } from './readiness.ts';

const SCROLL_LIMIT_MS = 10_000;
const SCROLL_MAX_HEIGHT = 100_000; // CSS pixels
const SCROLL_MAX_GROWTH = 15_000; // endless pages end here

/** Scrolls through the page once when all of it will be seen, so that what loads on approach is there. */
export const lazyContent: Step<typeof area.schema> = {
  name: 'lazy-content',
  schema: area.schema,
  apply: async (page, options, context) => {
    if (!context.wholePage || !options.full_page_scroll || context.format === 'html') return;
    await page.evaluate(revealSkipped);
    await page.evaluate(expandScroller);
    const cutAt = context.format === 'pdf' ? undefined : options.full_page_max_height; // paper is not cut
    const bounds = {
      isScripted: context.isScripted,
      cutAt: cutAt ?? Number.MAX_SAFE_INTEGER,
      maxHeight: SCROLL_MAX_HEIGHT,
      maxGrowth: SCROLL_MAX_GROWTH,
      limitMs: SCROLL_LIMIT_MS,
    };
    const complete = await page.evaluate(scrollThrough, bounds, canAct);
    if (!complete) context.warn('scroll_incomplete');
    await drainRequests(page, context);
  },
};
