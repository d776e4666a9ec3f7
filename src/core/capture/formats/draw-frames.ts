import type { Page } from '../../browser/page/page.ts';
import type { Box } from '../../steps/in-page/placement.ts';
import { drawFrame, findFramesBeyondWindow, showAll, showFrameAlone } from './in-page/frame-pictures.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';
import { takePicture } from './take-picture.ts';

/** Device pixels of all frames together, at most. */
const MOST_PIXELS = 50_000_000;
/** Bytes of all pictures together, at most. They are written to the page as text, on the event loop. */
const MOST_BYTES = 16_777_216;
const TRANSPARENT = { r: 0, g: 0, b: 0, a: 0 };

/**
 * Shows pictures in place of the frames of other origins that lie in a part of the page and outside of the window.
 * Chrome leaves these frames empty, because it paints them in the window only (Chromium 153; playwright#40583,
 * puppeteer#12778). The page is moved for the pictures, and not scrolled. Returns false if a frame is still empty.
 */
export async function drawFramesBeyondWindow(
  page: Page,
  { x, y, width, height }: Box,
  { density, keepsAlpha }: { readonly density: number; readonly keepsAlpha: boolean },
): Promise<boolean> {
  if (!page.children.hadFrames()) return true;
  const count = await page.evaluate(findFramesBeyondWindow, { x, y, width, height });
  if (count === 0) return true;
  const pictures: (Buffer | undefined)[] = [];
  const until = performance.now() + LIMIT_MS.framesBeyondWindow;
  let [areaLeft, bytesLeft] = [MOST_PIXELS / density ** 2, MOST_BYTES];
  await page.send('Emulation.setDefaultBackgroundColorOverride', { color: TRANSPARENT });
  try {
    for (let index = 0; index < count && performance.now() < until; index++) {
      const clip = await page.evaluate(showFrameAlone, index, areaLeft);
      areaLeft -= clip === undefined ? 0 : clip.width * clip.height;
      const picture = { format: 'png', optimizeForSpeed: true } as const;
      const taken = clip && (await takePicture(page, { ...picture, clip: { ...clip, scale: 1 } }));
      bytesLeft -= taken?.length ?? 0;
      pictures.push(bytesLeft < 0 ? undefined : taken);
    }
  } finally {
    await page.evaluate(showAll);
    if (!keepsAlpha) await page.send('Emulation.setDefaultBackgroundColorOverride', {});
  }
  let areDrawn = pictures.length === count;
  for (const [index, picture] of pictures.entries()) {
    const isDrawn = picture !== undefined && (await page.evaluate(drawFrame, index, picture.toString('base64')));
    areDrawn &&= isDrawn;
  }
  return areDrawn;
}
