import type { Protocol } from 'puppeteer';
import type { Page } from '../../browser/page/page.ts';

/** The first of two pictures, which nobody sees. */
const CHEAPEST = { format: 'jpeg', quality: 1, optimizeForSpeed: true } as const;

/**
 * Returns the picture of the page or of a part of it. A part of a page with frames is drawn twice: the first picture of frames outside the
 * window lacked layers that had changed while page time ran ahead. A map in a lazy frame had no tiles in 14 of 18 captures, and with a
 * second picture in 0 of 24 (headless shell 153, 2026-11-23).
 */
export async function takePicture(
  page: Page,
  picture: Protocol.Page.CaptureScreenshotRequest,
): Promise<Buffer> {
  const { clip } = picture;
  if (clip !== undefined && (await page.evaluate(hasFrames))) {
    await page.sendForBytes('Page.captureScreenshot', { ...CHEAPEST, clip });
  }
  return await page.sendForBytes('Page.captureScreenshot', picture);
}

/** Runs in the page. */
function hasFrames(): boolean {
  return window.length > 0;
}
