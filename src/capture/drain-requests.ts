import type { Page } from '../browser/page.ts';
import type { StepContext } from './step.ts';
import { within } from './within.ts';

const LIMIT_MS = 5_000; // decisions.md 2: for the requests in flight at `load`
const NONE: ReadonlySet<string> = new Set();

/**
 * Waits for the requests that are in flight now, but for those `known` (`page.requests.pending`), and tells the client when some have not
 * ended in time. A page that has none pays nothing.
 * @throws Error as `within`.
 */
export async function drainRequests(page: Page, context: StepContext, known = NONE): Promise<void> {
  if (page.requests.pending().isSubsetOf(known)) return;
  const drained = await within(page, LIMIT_MS, (signal) => page.requests.drain(known, signal));
  if (!drained) context.warn('requests_pending');
}
