import { isDocumentLost } from '../../browser/browser-errors.ts';
import type { Page } from '../../browser/page/page.ts';
import { letPass } from '../common/waiting.ts';
import { twoFrames } from './in-page/two-frames.ts';
import { LIMIT_MS } from '../../time-limits.ts';

/** Waits until the page has taken what was sent to it. One that leaves for another document on the way may never say so. */
export async function untilTaken(page: Page, sent: readonly Promise<unknown>[]): Promise<void> {
  try {
    await Promise.race([Promise.all(sent), page.mainFrame.next()]);
  } catch (error) {
    if (!isDocumentLost(error)) throw error;
  }
}

/**
 * Waits until the page has drawn what it was sent, and has done what lay before it: a move of the mouse is told to it with its next frame,
 * a form is sent a task later. A page that does not answer, or has no timers, is found out by what comes next.
 */
export async function untilDrawn(page: Page): Promise<void> {
  await Promise.race([page.evaluate(twoFrames), letPass(page, LIMIT_MS.framesOfAction)]);
}
