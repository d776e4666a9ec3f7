import type { Page } from '../../browser/page/page.ts';
import { hasRested } from './at-rest.ts';
import { canAct } from './in-page/can-act.ts';
import { countCallbacks } from './in-page/count-callbacks.ts';
import { showsByScroll } from './in-page/shows-by-scroll.ts';

/** Page time in which timers of a page show. */
const TIMERS_MS = 1_000;

/**
 * True if the page may notice that it is scrolled: it has a listener, an IntersectionObserver, timers or frames without
 * end, or elements that the browser itself starts or loads when they come into view.
 */
export async function noticesScroll(page: Page): Promise<boolean> {
  if (!(await page.evaluate(canAct))) return false;
  if (!hasRested(page) || page.children.frames().length > 0) return true;
  const answers = [page.scripts.observe('view'), page.evaluate(showsByScroll), hearsScroll(page)];
  return (await Promise.all(answers)).includes(true) || (await setsTimers(page));
}

/** True if a timer sets the next one. If it creates no objects, the heap does not show it. */
async function setsTimers(page: Page): Promise<boolean> {
  const before = await page.evaluate(countCallbacks);
  if (before.timers === 0) return false;
  await page.clock.advance(TIMERS_MS);
  const now = await page.evaluate(countCallbacks);
  return now.timers - before.timers > 2 * now.documents;
}

/** True if the window or the document has a listener for `scroll`. True as well if the document is being replaced. */
async function hearsScroll(page: Page): Promise<boolean> {
  try {
    return (await typesHeardBy(page)).some((type) => type.startsWith('scroll'));
  } catch {
    page.signal.throwIfAborted();
    return true;
  }
}

/** Returns the types of events that the window and the document listen for. Empty if the document is being replaced. */
export async function heardTypes(page: Page): Promise<readonly string[]> {
  return await typesHeardBy(page).catch(() => {
    page.signal.throwIfAborted();
    return [];
  });
}

async function typesHeardBy(page: Page): Promise<readonly string[]> {
  const heard = ['globalThis', 'document'].map(async (expression) => {
    const { result } = await page.send('Runtime.evaluate', { expression });
    const { listeners } = await page.send('DOMDebugger.getEventListeners', { objectId: result.objectId ?? '' });
    return listeners.map(({ type }) => type);
  });
  return (await Promise.all(heard)).flat();
}
