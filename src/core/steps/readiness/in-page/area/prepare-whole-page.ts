import { everywhere } from '../../../in-page/roots-of.ts';
import { loadLazy } from './load-lazy.ts';
import { openShells } from './open-area.ts';
import { holdTexts } from './hold-parts.ts';
import { LAZY } from './scroll-targets.ts';
import { canAct } from '../can-act.ts';
import { type Area, paintWhole } from '../paint-whole.ts';
import { type Painted, paintSoon } from '../prepare-to-paint.ts';
import { revealScrollDriven } from '../reveal-scroll-driven.ts';
import type { StillBounds } from '../hold-still.ts';
import { type PaintBounds, waitForPaintSources } from '../wait-for-paint-sources.ts';

interface PaintedArea {
  /** What is painted outside of the window. */
  readonly area: Area | undefined;
}

/** Like `prepareToPaint`, for pictures and prints of more than the window. Runs in the page. */
export async function prepareWholePage(bounds: PaintBounds & StillBounds & PaintedArea): Promise<Painted> {
  const { area, wholePage } = bounds;
  if (area?.isPrinted === true) loadLazy(everywhere(LAZY)); // a print never ends while it waits for one
  const pending = await waitForPaintSources(bounds);
  if (wholePage && (bounds.isScripted || canAct())) openShells(area?.isPrinted === true); // drawn again by a script
  if (wholePage) await revealScrollDriven(bounds.frameLimitMs);
  if (area !== undefined) paintWhole(area);
  const painted = await paintSoon(bounds, pending);
  holdTexts();
  return painted;
}
