import { everywhere } from '../../in-page/roots-of.ts';
import { canAct } from './can-act.ts';
import { hasUndrawnFrame, showsSomething } from './shows-something.ts';
import { holdStill, type StillBounds } from './hold-still.ts';
import { hasMissingGlyphs } from './missing-glyphs.ts';
import { loadLazy } from './area/load-lazy.ts';
import { openShells } from './area/open-area.ts';
import { holdTexts } from './area/hold-parts.ts';
import { LAZY } from './area/scroll-targets.ts';
import { type Area, paintWhole } from './paint-whole.ts';
import { revealScrollDriven } from './reveal-scroll-driven.ts';
import { type PaintBounds, type Pending, waitForPaintSources } from './wait-for-paint-sources.ts';

interface PaintedArea {
  /** What is painted outside of the window. Undefined for a picture of the window. */
  readonly area: Area | undefined;
}

/** What the page shows when it is painted. */
interface Painted {
  /** True if a character is missing in all fonts. */
  readonly glyphs: boolean;
  /** False for a page without text, pictures, controls and painted boxes. */
  readonly something: boolean;
  /** True if a frame has content that can't be drawn. */
  readonly undrawn: boolean;
}

/**
 * Waits for everything that a picture needs, then stops animations. It is one call, because most pages need no second
 * one. Runs in the page.
 */
export async function prepareToPaint(bounds: PaintBounds & StillBounds & PaintedArea): Promise<Pending & Painted> {
  const { area, wholePage } = bounds;
  if (area?.isPrinted === true) loadLazy(everywhere(LAZY)); // a print never ends while it waits for one
  const pending = await waitForPaintSources(bounds);
  if (wholePage && (bounds.isScripted || canAct())) openShells(area?.isPrinted === true); // drawn again by a script
  if (wholePage) await revealScrollDriven(bounds.frameLimitMs);
  if (area !== undefined) paintWhole(area);
  if (bounds.stillLimitMs > 0) await holdStill(bounds);
  holdTexts();
  return { ...pending, glyphs: hasMissingGlyphs(), something: showsSomething(), undrawn: hasUndrawnFrame() };
}
