import { holdStill, type StillBounds } from './hold-still.ts';
import { revealScrollDriven } from './reveal-scroll-driven.ts';
import { type PaintBounds, type Pending, waitForPaintSources } from './wait-for-paint-sources.ts';

/**
 * Waits for everything that a picture needs, then stops animations. It is one call, because most pages need no second
 * one. Runs in the page.
 */
export async function prepareToPaint(bounds: PaintBounds & StillBounds): Promise<Pending> {
  const pending = await waitForPaintSources(bounds);
  if (bounds.wholePage) await revealScrollDriven(bounds.frameLimitMs);
  if (bounds.stillLimitMs > 0) await holdStill(bounds);
  return pending;
}
