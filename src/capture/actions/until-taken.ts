import { isDocumentLost } from '../../browser/browser-errors.ts';
import type { Page } from '../../browser/page/page.ts';

/** Waits until the page has taken what was sent to it. One that leaves for another document on the way may never say so. */
export async function untilTaken(page: Page, sent: readonly Promise<unknown>[]): Promise<void> {
  try {
    await Promise.race([Promise.all(sent), page.mainFrame.next()]);
  } catch (error) {
    if (!isDocumentLost(error)) throw error;
  }
}
