import { canAct } from '../in-page/can-act.ts';
import { waitForPaintSources } from '../in-page/wait-for-paint-sources.ts';
import type { Action, Step } from '../step.ts';
import { within } from '../within.ts';
import { customScript } from './custom-script.ts';

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

/** Lets the page act on being seen, and waits for what it asks for then, for web fonts and for the pictures that will be in view. */
export const paintSources: Step<typeof customScript.schema> = {
  name: 'paint-sources',
  schema: customScript.schema,
  apply: async (page, { custom_js: script }, context) => {
    if (context.format === 'html') return;
    const known = page.requests.pending(); // waited for already
    const bounds = {
      isScripted: script !== undefined,
      wholePage: context.wholePage,
      limitMs: PAINT_LIMIT_MS,
    };
    const pending = await page.evaluate(waitForPaintSources, bounds, canAct);
    if (pending.fonts) context.warn('fonts_not_ready');
    if (pending.images) context.warn('images_not_ready');
    if (page.requests.pending().isSubsetOf(known)) return;
    const drainNew = (signal: AbortSignal): Promise<void> => page.requests.drain(signal, known);
    if (!(await within(page, PAINT_LIMIT_MS, drainNew))) context.warn('requests_pending');
  },
};
