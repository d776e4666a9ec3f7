import { isDocumentLost } from '../../browser/browser-errors.ts';
import type { Page } from '../../browser/page/page.ts';
import { delay } from '../common/waiting.ts';
import { twoFrames } from './in-page/two-frames.ts';
import { LIMIT_MS } from '../../time-limits.ts';

/** Waits until the page has processed the sent input. A page that navigates may never answer. */
export async function untilTaken(page: Page, sent: readonly Promise<unknown>[]): Promise<void> {
  try {
    await Promise.race([Promise.all(sent), page.mainFrame.next()]);
  } catch (error) {
    if (!isDocumentLost(error)) throw error;
  }
}

/**
 * Waits until the page has drawn and has run earlier tasks: mouse moves are delivered with the next frame, forms are
 * submitted one task later. If a page does not answer or has no timers, the next step finds out.
 */
export async function untilDrawn(page: Page): Promise<void> {
  await Promise.race([page.evaluate(twoFrames), delay(page, LIMIT_MS.framesOfAction)]);
}
