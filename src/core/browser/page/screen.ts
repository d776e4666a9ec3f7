import { isDeepStrictEqual } from 'node:util';
import type { CDPSession } from 'puppeteer';
import type { Protocol } from 'puppeteer';

/** Screen of a desktop, in CSS pixels: the most common one. */
const USUAL_SCREEN = { width: 1920, height: 1080 } as const;

/** The browser's own window, in CSS pixels: that of most captures, because software draws all of it. */
export const USUAL_WINDOW = { width: 1280, height: 720 } as const;

/** Window properties that a page sees. */
export interface Window {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
  readonly mobile: boolean;
}

/** Returns a window on its screen: a phone's window fills it, and its orientation follows the sides. */
function onScreen(window: Window): Protocol.Emulation.SetDeviceMetricsOverrideRequest {
  const { width, height, mobile } = window;
  const screenWidth = mobile ? width : Math.max(width, USUAL_SCREEN.width);
  const screenHeight = mobile ? height : Math.max(height, USUAL_SCREEN.height);
  const isUpright = screenHeight > screenWidth;
  return {
    ...window,
    screenWidth,
    screenHeight,
    screenOrientation: isUpright
      ? { type: 'portraitPrimary', angle: 0 }
      : { type: 'landscapePrimary', angle: mobile ? 90 : 0 },
  };
}

/** True if the window is larger than the browser's own. */
function isOversized({ width, height, mobile }: Window): boolean {
  return !mobile && (width > USUAL_WINDOW.width || height > USUAL_WINDOW.height);
}

/** Returns a function that changes the window, unless it is the same. */
export function createSetWindow(send: CDPSession['send']): (newWindow: Window) => Promise<void> {
  let window: Window | undefined;
  /** Makes the browser's own window as large, which the page sees as `outerWidth`. */
  const enlarge = async ({ width, height }: Window): Promise<void> => {
    const { windowId } = await send('Browser.getWindowForTarget');
    await send('Browser.setWindowBounds', { windowId, bounds: { width, height } });
  };
  return async (newWindow) => {
    if (isDeepStrictEqual(newWindow, window)) return;
    window = newWindow;
    const calls: Promise<unknown>[] = [send('Emulation.setDeviceMetricsOverride', onScreen(newWindow))];
    if (isOversized(newWindow)) calls.push(enlarge(newWindow));
    await Promise.all(calls);
  };
}
