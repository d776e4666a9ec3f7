import type { RootsOf } from '../../in-page/roots-of.ts';
import type { EndAnimations, StillBounds } from './hold-still.ts';
import type { PaintBounds, PaintTools, Pending } from './wait-for-paint-sources.ts';

/** What a picture of the page waits for, and then its stillness: in one call, as that is all that most pages need. Runs in the page. */
export async function prepareToPaint(
  bounds: PaintBounds & StillBounds,
  waitForPaintSources: (bounds: PaintBounds, ...tools: PaintTools) => Promise<Pending>,
  holdStill: (bounds: StillBounds, endAnimations: EndAnimations, rootsOf: RootsOf) => Promise<void>,
  canAct: () => boolean,
  firstSight: () => Promise<void>,
  endAnimations: EndAnimations,
  rootsOf: RootsOf,
): Promise<Pending> {
  const pending = await waitForPaintSources(bounds, canAct, firstSight);
  if (bounds.stillLimitMs > 0) await holdStill(bounds, endAnimations, rootsOf);
  return pending;
}
