import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import { emulatedMedia, media } from '../media.ts';
import { viewport } from '../viewport.ts';
import type { PlainStep, Size, Step, StepContext } from '../common/step.ts';
import { hasRested } from './at-rest.ts';
import { probeFrame } from './frame-probe.ts';
import { type Reaction, readReaction, watchReaction } from './in-page/print-reaction.ts';
import { canAct } from './in-page/can-act.ts';
import { holdTexts } from './in-page/area/hold-parts.ts';
import { dependsOnWindow, openShells } from './in-page/area/open-area.ts';
import { findPrintListeners } from './print-events.ts';
import { advancePageTime } from './page-time.ts';
import { drainRequests } from './readiness.ts';
import { timeFields } from './run-ahead.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

/** Page time for the reaction, because charts wait up to 300 ms for the end of resizing, and are then animated. */
const REACTION_MS = 1_500;
/**
 * Number of frames for a page whose time does not run ahead: an observer may request a frame whose callback resizes the
 * observed element.
 */
const MOST_FRAMES = 4;

const NO_REACTION: Reaction = { hasChanged: false, requestsFrames: false, setsTimers: false };

const schema = viewport.schema.extend(media.schema.shape).extend(timeFields.shape);

/** Keeps what the page draws with WebGL until it is printed. */
export const keptDrawings: PlainStep = {
  name: 'kept-drawings',
  apply: async (page, _options, context) => {
    if (context.paper !== undefined || context.keepsDrawings) await page.keepDrawings();
  },
};

/**
 * Gives the page its print media and the size of the paper, so that scripts draw for it, and opens what scrolls instead
 * of the page. The rules for paper may hide a menu, move its neighbour, and leave nothing to scroll.
 */
export const paper: Step<typeof schema> = {
  name: 'paper',
  schema,
  apply: async (page, options, context) => {
    if (context.paper === undefined) return;
    await layOutForPaper(page, context.paper, options, context);
    if (!context.isPainted || !context.wholePage || !(await page.evaluate(dependsOnWindow))) return;
    await emulatePaper(page, await context.paper(), options);
    if (await page.evaluate(openShells, true)) context.warn('scroll_incomplete');
  },
};

/**
 * Lays the page out for paper and waits until its scripts have reacted. A page that notices nothing is laid out by
 * Chrome when it prints, because a frame takes 10 ms (measured 2026-11-25). Returns true if scripts have changed the
 * document.
 */
export async function layOutForPaper(
  page: Page,
  findSize: () => Promise<Size>,
  options: z.output<typeof schema>,
  context: Pick<StepContext, 'isActedOn' | 'warn'>,
): Promise<boolean> {
  if (!context.isActedOn && !(await page.evaluate(canAct))) return false;
  const [listeners, observesLayout] = await Promise.all([findPrintListeners(page), page.scripts.observe('layout')]);
  const { hearPrint, hearSize } = listeners;
  const noticesPaper = context.isActedOn || !hasRested(page) || hearPrint || hearSize || observesLayout;
  if (!noticesPaper) return false;
  const size = await findSize();
  await page.evaluate(watchReaction);
  await emulatePaper(page, size, options);
  const { hasChanged, requestsFrames, setsTimers } = await Promise.race([
    page.clock.untilFrame(page.evaluate(readReaction, hearPrint)),
    delay(LIMIT_MS.frame, NO_REACTION, { ref: false }), // a page whose drawing is suspended has no frames
  ]);
  await listeners.remove();
  // While time is saved, frames hardly run, and may be noticed or not.
  const hasReacted = hasChanged || requestsFrames || setsTimers || page.clock.isSaving();
  if (hasReacted) {
    for (let frames = 1, isDrawing = requestsFrames; isDrawing && frames < MOST_FRAMES; frames++)
      isDrawing = (await probeFrame(page)).requestsFrames;
    await advancePageTime(
      page,
      { requestsFrames, isActive: true },
      {
        pageMs: options.run_ahead > 0 ? REACTION_MS : 0,
        realMs: LIMIT_MS.paper,
        endsAnimations: false,
        warn: context.warn,
      },
    );
    await drainRequests(page, context);
    await page.evaluate(holdTexts);
  }
  return hasReacted;
}

export type PaperOptions = z.output<typeof viewport.schema> & z.output<typeof media.schema>;

/** Emulates print media and the size of the paper, with all frames of the page. */
export async function emulatePaper(page: Page, { width, height }: Size, options: PaperOptions): Promise<void> {
  const emulated = emulatedMedia({ ...options, media_type: options.media_type ?? 'print' });
  await Promise.all([
    page.onSession((session) => session.send('Emulation.setEmulatedMedia', emulated)),
    page.setWindow({
      width: Math.max(Math.floor(width), 1),
      height: Math.max(Math.floor(height), 1),
      deviceScaleFactor: options.pixel_density,
      mobile: false, // a mobile viewport has no meaning on paper
    }),
  ]);
}
