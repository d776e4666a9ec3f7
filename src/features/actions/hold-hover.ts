import { isDocumentLost } from '../../core/browser/browser-errors.ts';
import type { Page } from '../../core/browser/page/page.ts';
import { hoveredAt, ignoreMoves } from './in-page/hold-pointer.ts';

const MOST_HOVERED = 100; // elements below the mouse

/**
 * Keeps the effects of the mouse: Chrome moves it to whatever a scroll or a new layout brings below it. The elements
 * below it now stay hovered, and the scripts of the page hear of no other.
 */
export async function holdHover(page: Page): Promise<void> {
  try {
    await hold(page);
  } catch (error) {
    if (!isDocumentLost(error)) throw error; // the mouse is on another document now
  }
}

async function hold(page: Page): Promise<void> {
  await page.evaluate(ignoreMoves);
  await Promise.all([page.send('DOM.enable'), page.send('CSS.enable')]);
  await page.send('DOM.getDocument', { depth: 0 });
  for (let index = 0; index < MOST_HOVERED; index++) {
    const handle = await page.evaluateHandle(hoveredAt, index);
    if (handle === undefined) break;
    const { nodeId } = await page.send('DOM.requestNode', { objectId: handle.objectId });
    await page.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: ['hover'] });
  }
}
