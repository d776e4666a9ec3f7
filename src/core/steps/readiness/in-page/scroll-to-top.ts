import { styleForPicture } from '../../in-page/for-picture.ts';
import { boxOf } from '../../in-page/nodes.ts';
import { everywhere } from '../../in-page/roots-of.ts';
import { waitForObservers } from './wait-for-observers.ts';

/** True if the window is not at the top of the page. Runs in the page. */
export function isWindowScrolled(): boolean {
  return scrollX !== 0 || scrollY !== 0;
}

const MOST_POPOVERS = 20;

/**
 * Scrolls to the top, and resolves when the page has reacted to it. A page `isActed` on does not notice: it would close
 * or move what an action has opened. Runs in the page.
 */
export async function scrollToTop(isActed: boolean): Promise<void> {
  if (isActed) {
    for (const popover of everywhere<HTMLElement>(':popover-open').take(MOST_POPOVERS)) keepSide(popover);
    window.addEventListener('scroll', (event) => event.stopImmediatePropagation(), { capture: true });
  }
  window.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  await waitForObservers(); // listeners run with the first frame, and what they change is laid out with the second
  await waitForObservers();
}

/** Keeps the side of its anchor on which a popover stands. One that has changed its side already is left alone. */
function keepSide(popover: HTMLElement): void {
  const before = boxOf(popover);
  styleForPicture(popover, { 'position-try-fallbacks': 'none' });
  if (boxOf(popover).top !== before.top) styleForPicture(popover, { 'position-try-fallbacks': '' });
}
