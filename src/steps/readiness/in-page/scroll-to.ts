import type { CallbackCounts } from './count-callbacks.ts';

/** The page at a scroll position. */
interface Screen {
  /** Height of the page and of its visible part, in CSS pixels. */
  readonly height: number;
  readonly step: number;
  /** The counts from before the scroll. */
  readonly before: CallbackCounts;
}

/** Scrolls, and resolves when observers, scroll listeners and lazy pictures were notified. Runs in the page. */
export async function scrollToScreen(
  top: number,
  countCallbacks: () => CallbackCounts,
  waitForObservers: () => Promise<void>,
): Promise<Screen> {
  const root = document.scrollingElement ?? document.querySelector(':root'); // pages can remove the root element
  const before = countCallbacks();
  root?.scrollTo({ top, behavior: 'instant' });
  await waitForObservers();
  return { height: root?.scrollHeight ?? 0, step: innerHeight, before };
}
