import type { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import type { StepContext } from '../common/step.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';
import { toWindow, viewport } from '../viewport.ts';
import { type FrameProbe, probeFrame, probeScrolledFrame } from './frame-probe.ts';
import { announceWindow, hasContentInMiddle, pageHeight, showsContent, virtualPage } from './in-page/area/virtual.ts';
import { advancePageTime } from './page-time.ts';
import { drainRequests } from './readiness.ts';
import { timeFields } from './run-ahead.ts';

/** Tallest window, in CSS pixels: a list may show rows for all of it. */
const MOST_HEIGHT = 16_000;
/** Device pixels of the tallest window, which the browser draws at once. */
const MOST_PIXELS = 50_000_000;
/** A page that grows by more than this factor depends on the height of its window, and is no list. */
const MOST_GROWTH = 1.5;
/** Page time for a screen, as when the page is scrolled through. */
const SCREEN_MS = 400;
/** Page time for the rows, and for the data that they request. */
const ROWS_MS = 1_500;

/** The page among the targets that were scrolled through. */
const PAGE = 0;

const schema = viewport.schema.extend(timeFields.shape);

/**
 * Shows the rows of a page that has only those which are scrolled to, as timelines do: the window becomes as tall as
 * the page. Warns if rows are still missing.
 */
export async function fillVirtualPage(
  page: Page,
  options: z.output<typeof schema>,
  context: Pick<StepContext, 'paper' | 'warn'>,
): Promise<void> {
  const found = await page.evaluate(virtualPage);
  if (found === undefined) return;
  const { height, mayGrow } = found;
  if (!(await hasRowsAt(height / 2))) return;
  if (context.paper !== undefined || !mayGrow || !(await isFilled())) context.warn('scroll_incomplete');

  /** Makes the window tall. Returns false if rows are missing; a page that is no list gets its window back. */
  async function isFilled(): Promise<boolean> {
    const window = toWindow(options);
    const most = Math.min(MOST_HEIGHT, Math.floor(MOST_PIXELS / (window.width * window.deviceScaleFactor ** 2)));
    const tall = Math.min(height, most);
    if (tall <= window.height) return false;
    await page.setWindow({ ...window, height: tall });
    await settle();
    const grown = await page.evaluate(pageHeight);
    const hasRows = await page.evaluate(hasContentInMiddle, window.height);
    if (hasRows && grown <= MOST_GROWTH * height) return grown <= tall;
    await page.setWindow(window);
    await settle();
    return false;
  }

  async function hasRowsAt(top: number): Promise<boolean> {
    const screen = await probeScrolledFrame(page, PAGE, Math.floor(top));
    if (screen !== undefined) await advance(screen, SCREEN_MS);
    const hasRows = await page.evaluate(showsContent);
    const first = await probeScrolledFrame(page, PAGE, 0);
    if (first !== undefined) await advance(first, SCREEN_MS);
    return hasRows;
  }

  async function settle(): Promise<void> {
    await page.evaluate(announceWindow);
    await advance(await probeFrame(page), ROWS_MS);
    await drainRequests(page, context);
  }

  async function advance(probe: FrameProbe, pageMs: number): Promise<void> {
    const realMs = LIMIT_MS.paper;
    const bounds = { pageMs: options.run_ahead > 0 ? pageMs : 0, realMs, endsAnimations: false, warn: context.warn };
    await advancePageTime(page, probe, bounds);
  }
}
