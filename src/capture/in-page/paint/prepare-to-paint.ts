import type { PaintBounds, PaintTools, Pending } from './wait-for-paint-sources.ts';

interface StillBounds extends PaintBounds {
  /** Milliseconds to bring what moves to rest; 0 leaves it moving. */
  readonly stillLimitMs: number;
}

/** What a picture of the page waits for, and then its stillness: in one call, as that is all that most pages need. Runs in the page. */
export async function prepareToPaint(
  bounds: StillBounds,
  waitForPaintSources: (bounds: PaintBounds, ...tools: PaintTools) => Promise<Pending>,
  holdStill: (limitMs: number, endAnimations: (endless: boolean) => boolean) => Promise<void>,
  canAct: () => boolean,
  firstSight: () => Promise<void>,
  endAnimations: (endless: boolean) => boolean,
): Promise<Pending> {
  const pending = await waitForPaintSources(bounds, canAct, firstSight);
  if (bounds.stillLimitMs > 0) await holdStill(bounds.stillLimitMs, endAnimations);
  return pending;
}
