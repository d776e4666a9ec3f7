import { hasUndrawnFrame, showsSomething } from './shows-something.ts';
import { holdStill, type StillBounds } from './hold-still.ts';
import { hasMissingGlyphs } from './missing-glyphs.ts';
import { type PaintBounds, type Pending, waitForPaintSources } from './wait-for-paint-sources.ts';

/** What the page shows when it is painted. */
export interface Painted extends Pending {
  /** True if a character is missing in all fonts. */
  readonly glyphs: boolean;
  /** False for a page without text, pictures, controls and painted boxes. */
  readonly something: boolean;
  /** True if a frame has content that can't be drawn. */
  readonly undrawn: boolean;
}

/**
 * Waits for everything that a picture of the window needs, then stops animations. It is one call, because most pages
 * need no second one. What only other pictures need is in `prepareWholePage`: each capture sends this text. Runs in the
 * page.
 */
export async function prepareToPaint(bounds: PaintBounds & StillBounds): Promise<Painted> {
  return await paintSoon(bounds, await waitForPaintSources(bounds));
}

/** Stops animations, and returns what the page shows. */
export async function paintSoon(bounds: StillBounds, pending: Pending): Promise<Painted> {
  if (bounds.stillLimitMs > 0) await holdStill(bounds);
  return { ...pending, glyphs: hasMissingGlyphs(), something: showsSomething(), undrawn: hasUndrawnFrame() };
}
