import type { Page } from '../../browser/page/page.ts';
import { hasRested } from './at-rest.ts';
import { canAct } from './in-page/can-act.ts';
import { showsByScroll } from './in-page/shows-by-scroll.ts';

/**
 * True if the page may notice that it is scrolled: it has a listener, an IntersectionObserver, timers or frames without
 * end, or elements that the browser itself starts or loads when they come into view.
 */
export async function noticesScroll(page: Page): Promise<boolean> {
  if (!(await page.evaluate(canAct))) return false;
  if (!hasRested(page) || page.children.frames().length > 0) return true;
  const answers = [page.observes('view'), page.evaluate(showsByScroll), hearsScroll(page)];
  return (await Promise.all(answers)).includes(true);
}

/** True if the window or the document has a listener for `scroll`. True as well if the document is being replaced. */
async function hearsScroll(page: Page): Promise<boolean> {
  const heard = ['globalThis', 'document'].map(async (expression) => {
    const { result } = await page.send('Runtime.evaluate', { expression });
    const { listeners } = await page.send('DOMDebugger.getEventListeners', { objectId: result.objectId ?? '' });
    return listeners.some(({ type }) => type.startsWith('scroll'));
  });
  try {
    return (await Promise.all(heard)).includes(true);
  } catch {
    page.signal.throwIfAborted();
    return true;
  }
}
