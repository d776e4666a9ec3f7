import type { AskedFor } from './asked-for.ts';

/** The page at one place of its scroll. */
interface Screen {
  /** CSS pixels, of the page and of what is seen of it. */
  readonly height: number;
  readonly step: number;
  /** What the page had asked for before. */
  readonly before: AskedFor;
}

/** Scrolls there, and resolves once what waits for that (observers, scroll listeners, lazy pictures) was told. Runs in the page. */
export async function scrollToScreen(
  top: number,
  askedFor: () => AskedFor,
  firstSight: () => Promise<void>,
): Promise<Screen> {
  const root = document.scrollingElement ?? document.querySelector(':root'); // a page may remove its root
  const before = askedFor();
  root?.scrollTo({ top, behavior: 'instant' });
  await firstSight();
  return { height: root?.scrollHeight ?? 0, step: innerHeight, before };
}
