import { waitForObservers } from './wait-for-observers.ts';

/** True if the window is not at the top of the page. Runs in the page. */
export function isWindowScrolled(): boolean {
  return scrollX !== 0 || scrollY !== 0;
}

/** Scrolls to the top, and resolves when the page has reacted to it. Runs in the page. */
export async function scrollToTop(): Promise<void> {
  window.scrollTo({ left: 0, top: 0, behavior: 'instant' });
  await waitForObservers(); // listeners run with the first frame, and what they change is laid out with the second
  await waitForObservers();
}
