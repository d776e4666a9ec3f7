import type { Page } from '../../browser/page/page.ts';
import { findFadedText, noteSeenText } from './in-page/faded-text.ts';
import { expandScroller } from './in-page/expand-scroller.ts';
import { revealSkipped, scrollStart } from './in-page/load-lazy.ts';
import type { Step, StepContext } from '../common/step.ts';
import { area } from '../area.ts';
import { probeScrolledFrame } from './frame-probe.ts';
import { advancePageTime } from './page-time.ts';
import { drainRequests } from './readiness.ts';
import { timeFields } from './run-ahead.ts';
import { LIMIT_MS } from '../../time-limits.ts';

const SCROLL_MAX_HEIGHT = 100_000; // CSS pixels
const SCROLL_MAX_GROWTH = 15_000; // limit for endless pages
/** Page time for each screen of an active page, because loaders wait 100 to 200 ms for the end of scrolling. */
const SCREEN_MS = 400;
/** Page time at the end of the page, where lists load their next part. */
const END_MS = 800;
const BACK_AT_TOP_MS = 1_500;

const schema = area.schema.extend(timeFields.shape);

/**
 * Scrolls through the page once if the result shows all of it, so that lazy content loads. For the text that a person
 * can see, it scrolls only through pages with transparent text, and notes what appears.
 */
export const lazyContent: Step<typeof schema> = {
  name: 'lazy-content',
  schema,
  apply: async (page, options, context) => {
    const notesText = context.readsSeenText && (await page.evaluate(findFadedText));
    const loadsAll = context.wholePage && options.full_page_scroll && context.isPainted;
    if (!loadsAll && !notesText) return;
    if (loadsAll) {
      await page.evaluate(revealSkipped);
      await page.evaluate(expandScroller);
    }
    const cutAt = context.paper !== undefined ? undefined : options.full_page_max_height;
    const isThrough = await scrollThrough(page, {
      isScripted: context.isActedOn,
      notesText,
      cutAt: cutAt ?? Infinity,
      runsAhead: options.run_ahead > 0,
      warn: context.warn,
    });
    if (!isThrough) context.warn('scroll_incomplete');
    await drainRequests(page, context);
  },
};

interface Scroll {
  /** True if a script has run that is not in the document. */
  readonly isScripted: boolean;
  /** True to record the text that appears on each screen. */
  readonly notesText: boolean;
  /** Content below this is not captured, so scrolling stops here. In CSS pixels. */
  readonly cutAt: number;
  readonly runsAhead: boolean;
  readonly warn: StepContext['warn'];
}

/**
 * Scrolls down the page one screen at a time, then back to the top. Skipped if nothing can notice scrolling, because
 * each screen takes a frame. Limited in height, growth and time, because a page may grow endlessly. True if it reached
 * the end.
 */
async function scrollThrough(page: Page, { isScripted, notesText, cutAt, runsAhead, warn }: Scroll): Promise<boolean> {
  const until = performance.now() + LIMIT_MS.scroll;
  let { height, step, isNoticed } = await page.evaluate(scrollStart, isScripted);
  if (!notesText && (height <= step || !isNoticed)) return true;

  const stopAt = Math.min(SCROLL_MAX_HEIGHT, height + SCROLL_MAX_GROWTH);
  const show = async (top: number, pageMs: number): Promise<void> => {
    const screen = await probeScrolledFrame(page, top);
    if (screen === undefined) return;
    height = screen.height;
    step = screen.step;
    if (!screen.requestsFrames && !screen.isActive && !page.requests.arePending()) return;
    const realMs = Math.max(0, until - performance.now());
    await advancePageTime(page, screen, {
      pageMs: runsAhead ? pageMs : 0,
      realMs,
      endsAnimations: false,
      warn,
    });
  };

  let isThrough = true;
  for (let top = 0; top < Math.min(height, cutAt); top += step) {
    if (top > stopAt || performance.now() > until) {
      isThrough = false;
      break;
    }
    const isEnd = top + step >= height;
    await show(top, isEnd || notesText ? END_MS : SCREEN_MS);
    if (notesText) await page.evaluate(noteSeenText);
    if (isEnd) ({ height } = await page.evaluate(scrollStart, isScripted)); // the page may have grown
  }
  await show(0, BACK_AT_TOP_MS);
  await page.evaluate(scrollStart, isScripted); // loads pictures that appeared last
  return isThrough;
}
