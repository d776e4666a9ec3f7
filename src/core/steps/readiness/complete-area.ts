import type { z } from 'zod';
import { isDocumentLost } from '../../browser/browser-errors.ts';
import type { Handle } from '../../browser/page/evaluate.ts';
import type { Page } from '../../browser/page/page.ts';
import { canAct } from './in-page/can-act.ts';
import { keepParts, noteParts, partsSeen, watchParts } from './in-page/kept-parts.ts';
import { fillElement, openShells, revealSkipped, showElement } from './in-page/area/open-area.ts';
import { findFadedText, noteSeenText } from './in-page/faded-text.ts';
import { aimAtPage, type Extent, loadAround } from './in-page/area/scroll-targets.ts';
import { findElement } from '../in-page/find-element.ts';
import { isActed, type Step, type StepContext } from '../common/step.ts';
import { doesNotAnswer } from '../common/waiting.ts';
import { viewport } from '../viewport.ts';
import { element, waitAfterScroll } from '../waits.ts';
import { withTimeout } from '../../ground/timeouts.ts';
import { area } from '../area.ts';
import { holdsParts } from './at-rest.ts';
import { probeScrolledFrame } from './frame-probe.ts';
import { advancePageTime } from './page-time.ts';
import { drainRequests } from './readiness.ts';
import { timeFields } from './run-ahead.ts';
import { fillVirtualPage } from './virtual-page.ts';
import { noticesScroll } from './scroll-notice.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

const SCROLL_MAX_HEIGHT = 100_000; // CSS pixels
const SCROLL_MAX_GROWTH = 15_000; // limit for endless pages
/** Page time for each screen of an active page, because loaders wait 100 to 200 ms for the end of scrolling. */
const SCREEN_MS = 400;
/** Page time at the end of the page, where lists load their next part. */
const END_MS = 800;
/** Page time between two screens of a page that watches parts of elements: what begins there takes a frame. */
const BETWEEN_MS = 50;
/** More times of a screen for parts that a script fades in or writes, and of all screens: a clock never ends. */
const MORE_STEPS = 6;
const MOST_MORE_STEPS = 60;
const BACK_AT_TOP_MS = 1_500;
/** Part of a screen for pages that watch how much of an element is in view: half of it is never cut twice. */
const FINE_STEP = 1 / 2;

const schema = area.schema.extend(timeFields.shape).extend(viewport.schema.shape);

const lateSchema = schema.extend(element.schema.shape);

type Options = z.output<typeof schema>;

/**
 * Completes a result that shows more of the page than the window: scrolls through the page once, so that lazy content
 * loads, and opens what scrolls instead of the page. For the text that a person can see, it scrolls only through pages
 * with transparent text, and notes what appears.
 */
export const completePage: Step<typeof schema> = {
  name: 'complete-page',
  schema,
  apply: async (page, options, context) => {
    const notesText = context.readsSeenText && (await page.evaluate(findFadedText));
    const isShown = context.isPainted && (context.wholePage || (context.leavesWindow && !isOfOneElement(options)));
    if (isShown) await page.evaluate(revealSkipped);
    if (notesText || (isShown && options.full_page_scroll && !isActed(page, context))) {
      const isNoticed = notesText || context.isActedOn || (await noticesScroll(page));
      const targets = await page.evaluate(aimAtPage);
      const mayListen = targets.length > 1 && (await page.evaluate(canAct)); // to the scroll of another target
      const scroll = { ...scrollOf(options, context), targets, notesText, isNoticed: isNoticed || mayListen };
      if (isNoticed) await page.evaluate(watchParts);
      await scrollThrough(page, scroll);
      if (isNoticed) await keep(page, context.paper !== undefined);
      if (isShown && isNoticed) await fillVirtualPage(page, options, context);
    }
    if (isShown && context.paper === undefined && (await page.evaluate(openShells, false)))
      context.warn('scroll_incomplete');
  },
};

/** Completes the selected element: scrolls through it, loads what is inside it, and opens what cuts it. */
export const completeElement: Step<typeof schema> = {
  name: 'complete-element',
  schema,
  apply: async (page, options, context) => {
    if (!isOfOneElement(options) || !context.isPainted) return;
    try {
      await complete(page, options, context);
    } catch (error) {
      if (!isDocumentLost(error)) throw error;
      await context.settle(); // the page has navigated
      await complete(page, options, context);
    }
  },
};

/** Holds the parts that were seen. `holdsAll` as for `keepParts`. */
async function keep(page: Page, holdsAll: boolean): Promise<void> {
  if (await page.clock.untilFrame(page.evaluate(keepParts, holdsAll))) holdsParts(page);
}

/** All matches may be anywhere, so the whole page is completed for it. */
function isOfOneElement({ selector, selector_all: isAll, selector_each: isEach }: Options): boolean {
  return selector !== undefined && !isAll && !isEach;
}

async function complete(page: Page, options: Options, context: StepContext): Promise<void> {
  const handle = await findOrScroll(page, options, context);
  if (handle === undefined) return;
  const targets = await page.callOn(handle, fillElement);
  const isNoticed = context.isActedOn || (targets.length > 0 && (await page.evaluate(canAct)));
  const scroll = { ...scrollOf(options, context), cutAt: Infinity, targets, isNoticed, isElement: true };
  if (!isActed(page, context)) {
    if (isNoticed) await page.evaluate(watchParts);
    await scrollThrough(page, scroll);
    if (isNoticed) await keep(page, true);
  }
  await page.callOn(handle, showElement);
}

/** Returns the selected element. One that is not there yet may appear when the page is scrolled. */
async function findOrScroll(page: Page, options: Options, context: StepContext): Promise<Handle | undefined> {
  const find = (): Promise<Handle | undefined> => page.evaluateHandle(findElement, options.selector ?? '');
  const found = await find();
  if (found !== undefined) return found;
  const targets = await page.evaluate(aimAtPage);
  await scrollThrough(page, { ...scrollOf(options, context), cutAt: Infinity, targets, isNoticed: true });
  return await find();
}

/** Waits for elements that only the scroll has brought, and completes the area again: they may be large. */
export const elementAfterScroll: Step<typeof lateSchema> = {
  name: 'element-after-scroll',
  schema: lateSchema,
  boundsItself: true,
  apply: async (page, options, context) => {
    if (!(await waitAfterScroll(page, options, context))) return;
    const again = completePage.apply(page, options, context).then(() => completeElement.apply(page, options, context));
    await withTimeout(again, context.waitMs + LIMIT_MS.step, doesNotAnswer);
  },
};

interface Scroll {
  /** What is scrolled, one after the other. */
  readonly targets: readonly Extent[];
  /** False if nothing can notice scrolling. */
  readonly isNoticed: boolean;
  /** True if the target is an element, which is scrolled to although it may be small. */
  readonly isElement?: boolean;
  /** True to record the text that appears on each screen. */
  readonly notesText?: boolean;
  /** Content below this is not captured, so scrolling stops here. In CSS pixels. */
  readonly cutAt: number;
  readonly runsAhead: boolean;
  readonly warn: StepContext['warn'];
}

function scrollOf(options: Options, { paper, warn }: StepContext): Pick<Scroll, 'cutAt' | 'runsAhead' | 'warn'> {
  const { clip, full_page_max_height: most, run_ahead: ahead } = options;
  const cutAt = paper === undefined ? (clip === undefined ? most : clip.y + clip.height) : undefined;
  return { cutAt: cutAt ?? Infinity, runsAhead: ahead > 0, warn };
}

/**
 * Scrolls down each target one screen at a time, then back to the top. Skipped if nothing can notice scrolling, because
 * each screen takes a frame. Limited in height, growth and time, because a page may grow endlessly.
 */
async function scrollThrough(page: Page, scroll: Scroll): Promise<void> {
  const until = performance.now() + LIMIT_MS.scroll;
  let isThrough = true;
  for (const [index, target] of scroll.targets.entries()) {
    const isAllInView = target.height <= target.step && !scroll.isElement;
    if (!scroll.notesText && (isAllInView || !scroll.isNoticed)) continue;
    isThrough = (await scrollDown(page, index, target, { ...scroll, until })) && isThrough;
  }
  if (!isThrough) scroll.warn('scroll_incomplete');
  await drainRequests(page, scroll);
}

async function scrollDown(
  page: Page,
  index: number,
  target: Extent,
  { notesText = false, isElement = false, cutAt, runsAhead, warn, until }: Scroll & { readonly until: number },
): Promise<boolean> {
  let { height, step } = target;
  let moreLeft = MOST_MORE_STEPS;
  let mayHide = false; // a part that it showed: such an animation begins a frame after the scroll
  const part = (await page.scripts.observe('parts')) ? FINE_STEP : 1;
  const stopAt = Math.min(SCROLL_MAX_HEIGHT, height + SCROLL_MAX_GROWTH);
  const show = async (top: number, pageMs: number): Promise<void> => {
    const screen = await probeScrolledFrame(page, index, top);
    if (screen === undefined) return;
    ({ height, step } = screen);
    if (!screen.requestsFrames && !screen.isActive && !mayHide && !page.requests.arePending()) return;
    const advance = async (ms: number): Promise<void> => {
      const realMs = Math.max(0, until - performance.now());
      const bounds = { pageMs: runsAhead ? ms : 0, firstStepMs: SCREEN_MS / 2, realMs, endsAnimations: false, warn };
      await advancePageTime(page, screen, bounds);
    };
    await advance(pageMs);
    const isWritten = async (): Promise<boolean> =>
      (screen.requestsFrames || screen.isActive) && (await page.evaluate(noteParts, screen.requestsFrames));
    for (let more = 0; more < MORE_STEPS && moreLeft > 0 && (await isWritten()); more++) {
      moreLeft--;
      await advance(SCREEN_MS);
    }
  };

  let isThrough = true;
  for (let top = 0, screens = 0; top < Math.min(height, cutAt); top += step * part, screens += part) {
    if (top > stopAt || performance.now() > until) {
      isThrough = false;
      break;
    }
    const isEnd = top + step >= height;
    const isBetween = !Number.isInteger(screens) && !isEnd;
    await show(top, isBetween ? BETWEEN_MS : isEnd || notesText ? END_MS : SCREEN_MS);
    if (notesText) await page.evaluate(noteSeenText);
    if (!isEnd) continue;
    // The page may have grown, and may grow with an answer that is on its way.
    ({ height } = await page.evaluate(loadAround, index));
    if (top + step >= height && page.requests.arePending() && performance.now() < until) {
      await drainRequests(page, { warn });
      await show(top, SCREEN_MS);
      ({ height } = await page.evaluate(loadAround, index));
    }
    if (top + step < height) page.requests.resetPolls();
  }
  const { any, hidden } = await page.evaluate(partsSeen);
  mayHide = any;
  if (part === 1 && hidden)
    for (let top = step * FINE_STEP; top < Math.min(height, cutAt) && performance.now() < until; top += step)
      await show(top, SCREEN_MS);
  const end = Math.min(height, cutAt);
  if (!isElement || height > step) await show(0, BACK_AT_TOP_MS);
  const last = await page.evaluate(loadAround, index); // loads pictures that appeared last
  const hasGrown = Math.min(last.height, cutAt) >= end + step; // after its end was shown
  return isThrough && !hasGrown;
}
