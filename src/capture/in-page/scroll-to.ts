import type { AskedFor } from './asked-for.ts';

/** The page at one place of its scroll. */
export interface Screen {
  /** CSS pixels, of the page and of what is seen of it. */
  readonly height: number;
  readonly step: number;
  /** What it asked for on being scrolled there. */
  readonly asksForFrames: boolean;
  /** Or has ever asked for: one may look at where the page is from time to time. */
  readonly hasTimers: boolean;
}

/**
 * Scrolls there, and resolves once what waits for that (observers, scroll listeners, lazy pictures) has begun. Runs in the page.
 */
export async function scrollToScreen(
  top: number,
  askedFor: () => AskedFor,
  firstSight: () => Promise<void>,
): Promise<Screen> {
  const root = document.scrollingElement ?? document.documentElement;
  const before = askedFor();
  root.scrollTo({ top, behavior: 'instant' });
  await firstSight();
  const after = askedFor();
  return {
    height: root.scrollHeight,
    step: innerHeight,
    asksForFrames: after.frames - before.frames > after.documents,
    hasTimers: before.timers > 0 || after.timers - before.timers > 2 * after.documents,
  };
}
