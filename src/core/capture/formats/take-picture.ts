import type { Protocol } from 'puppeteer';
import type { Page } from '../../browser/page/page.ts';
import { hasHeldParts } from '../../steps/readiness/at-rest.ts';

/** Options of the first of two pictures, which is dropped. */
const CHEAPEST = { format: 'jpeg', quality: 1, optimizeForSpeed: true } as const;

/**
 * Returns the picture of the page or of a part of it. A part of a page with frames is drawn twice, and the first
 * picture is dropped: frames outside the window lacked layers that had changed while page time ran ahead. A map in a
 * lazy frame had no tiles in 14 of 18 captures. With the second picture, it had them in 24 of 24 (headless shell 153,
 * 2026-11-23). Parts outside the window that had faded out and are held as they were seen were missing, too.
 */
export async function takePicture(
  page: Page,
  picture: Protocol.Page.CaptureScreenshotRequest,
  isPart = false,
): Promise<Buffer> {
  const { clip } = picture;
  if (clip !== undefined && (page.children.hadFrames() || hasHeldParts(page))) {
    await page.sendForBytes('Page.captureScreenshot', { ...CHEAPEST, clip });
  }
  return await (isPart ? page.sendForPart : page.sendForBytes)('Page.captureScreenshot', picture);
}
