import type { Page } from '../../browser/page.ts';
import { canAct } from '../in-page/can-act.ts';
import { waitForPaintSources } from '../in-page/wait-for-paint-sources.ts';
import type { Action, StepContext } from '../step.ts';
import { within } from '../within.ts';

const REQUESTS_LIMIT_MS = 5_000; // decisions.md 2: for the requests in flight at `load`
const PAINT_LIMIT_MS = 5_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Waits for the requests that are in flight now, but for those `known` (`page.requests.pending`), and tells the client when some have not
 * ended in time. A page that has none pays nothing.
 * @throws Error as `within`.
 */
export async function drainRequests(page: Page, context: StepContext, known = NONE): Promise<void> {
  if (page.requests.pending().isSubsetOf(known)) return;
  const drained = await within(page, REQUESTS_LIMIT_MS, (signal) => page.requests.drain(known, signal));
  if (!drained) context.warn('requests_pending');
}

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
