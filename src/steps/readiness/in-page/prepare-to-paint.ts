import type { StillBounds, StillTools } from './hold-still.ts';
import type { RevealScrollDriven } from './reveal-scroll-driven.ts';
import type { PaintBounds, PaintTools, Pending } from './wait-for-paint-sources.ts';

/**
 * Waits for everything that a picture needs, then stops animations. It is one call, because most pages need no second
 * one. Runs in the page.
 */
export async function prepareToPaint(
  bounds: PaintBounds & StillBounds,
  waitForPaintSources: (bounds: PaintBounds, ...tools: PaintTools) => Promise<Pending>,
  holdStill: (bounds: StillBounds, ...tools: StillTools) => Promise<void>,
  canAct: () => boolean,
  waitForObservers: () => Promise<void>,
  revealScrollDriven: RevealScrollDriven,
  ...stillTools: StillTools
): Promise<Pending> {
  const pending = await waitForPaintSources(bounds, canAct, waitForObservers);
  if (bounds.wholePage) await revealScrollDriven(stillTools[2], waitForObservers, bounds.frameLimitMs);
  if (bounds.stillLimitMs > 0) await holdStill(bounds, ...stillTools);
  return pending;
}
