import type { AskedFor } from './asked-for.ts';

/** The page at a scroll position. */
interface Screen {
  /** In CSS pixels: the page, and its visible part. */
  readonly height: number;
  readonly step: number;
  /** The counts from before. */
  readonly before: AskedFor;
}

/** Scrolls, and resolves when observers, scroll listeners and lazy pictures were notified. Runs in the page. */
export async function scrollToScreen(
  top: number,
  askedFor: () => AskedFor,
  firstSight: () => Promise<void>,
): Promise<Screen> {
  const root = document.scrollingElement ?? document.querySelector(':root'); // pages can remove the root element
  const before = askedFor();
  root?.scrollTo({ top, behavior: 'instant' });
  await firstSight();
  return { height: root?.scrollHeight ?? 0, step: innerHeight, before };
}
