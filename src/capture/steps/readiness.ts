import { waitForPaintSources } from '../in-page/wait-for-paint-sources.ts';
import type { Action } from '../step.ts';
import { within } from '../within.ts';

const REQUESTS_LIMIT_MS = 5_000; // decisions.md 2: for the requests in flight at `load`
const PAINT_LIMIT_MS = 5_000;

/** Waits for the requests that were in flight at `load`. A static page has none and pays nothing. */
export const pendingRequests: Action = {
  name: 'pending-requests',
  apply: async (page, _options, context) => {
    if (page.requests.count() === 0) return;
    if (!(await within(page, REQUESTS_LIMIT_MS, page.requests.drain))) context.warn('requests_pending');
  },
};

/** Waits for web fonts, and for the pictures that will be in view. */
export const paintSources: Action = {
  name: 'paint-sources',
  apply: async (page, _options, context) => {
    if (context.format === 'html') return;
    const pending = await page.evaluate(waitForPaintSources, PAINT_LIMIT_MS, context.wholePage);
    if (pending.fonts) context.warn('fonts_not_ready');
    if (pending.images) context.warn('images_not_ready');
  },
};
