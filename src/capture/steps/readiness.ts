import { drainRequests } from '../drain-requests.ts';
import { canAct } from '../in-page/can-act.ts';
import { waitForPaintSources } from '../in-page/wait-for-paint-sources.ts';
import type { Action } from '../step.ts';

const PAINT_LIMIT_MS = 5_000;

/** Waits for the requests that were in flight at `load`. */
export const pendingRequests: Action = {
  name: 'pending-requests',
  apply: async (page, _options, context) => {
    await drainRequests(page, context);
  },
};

/** Lets the page act on being seen, and waits for what it asks for then, for web fonts and for the pictures that will be in view. */
export const paintSources: Action = {
  name: 'paint-sources',
  apply: async (page, _options, context) => {
    const { format, isScripted, wholePage, warn } = context;
    if (format === 'html') return;
    const known = page.requests.pending(); // waited for already
    const bounds = { isScripted, wholePage, limitMs: PAINT_LIMIT_MS };
    const pending = await page.evaluate(waitForPaintSources, bounds, canAct);
    if (pending.fonts) warn('fonts_not_ready');
    if (pending.images) warn('images_not_ready');
    await drainRequests(page, context, known);
  },
};
