import { expandScroller } from '../in-page/expand-scroller.ts';
import { scrollThrough } from '../in-page/scroll-through.ts';
import type { Step } from '../step.ts';
import { area } from './area.ts';

const SCROLL_LIMIT_MS = 10_000;
const SCROLL_MAX_HEIGHT = 100_000; // CSS pixels
const SCROLL_MAX_GROWTH = 15_000; // endless pages end here
const AFTER_SCROLL_LIMIT_MS = 5_000;

/** Scrolls through the page once when all of it will be seen, so that what loads on approach is there. */
export const lazyContent: Step<typeof area.schema> = {
  name: 'lazy-content',
  schema: area.schema,
  apply: async (page, options, context) => {
    if (!context.wholePage || !options.full_page_scroll || context.format === 'html') return;
    await page.evaluate(expandScroller);
    const complete = await page.evaluate(
      scrollThrough,
      SCROLL_MAX_HEIGHT,
      SCROLL_MAX_GROWTH,
      SCROLL_LIMIT_MS,
    );
    if (!complete) context.warn('scroll_incomplete');
    if (page.requests.count() === 0) return;
    const timeUp = AbortSignal.any([AbortSignal.timeout(AFTER_SCROLL_LIMIT_MS), page.signal]);
    await page.requests.drain(timeUp);
    page.signal.throwIfAborted();
  },
};
