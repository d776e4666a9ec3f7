import { CaptureError } from '../../client/capture-error.ts';
import { type CaptureJob, readJobs } from '../../client/job-data.ts';
import { type Caller, send } from '../send.ts';

/** Maximum number of pages. Longer lists are useless, because each state has its own list. */
export const MAX_PAGES = 10;
/**
 * Number of pages to read without a delay. Each page counts against the rate limit, which captures need as well.
 * Further pages are read slowly.
 */
const PAGES_AT_ONCE = 3;
const PAGE_DELAY_MS = 400;

interface ReadJobs {
  readonly jobs: readonly CaptureJob[];
  /** Clock of the service in Unix milliseconds. The clock of this machine may differ. */
  readonly nowMs: number;
  readonly requests: number;
  readonly hasMore: boolean;
}

/** Reads the first pages of the current list. States may have changed since the last read. */
export async function readPages(
  { state, pages }: { readonly state: string | undefined; readonly pages: number },
  caller: Caller,
): Promise<ReadJobs | CaptureError> {
  const jobs = new Map<string, CaptureJob>();
  let cursor: string | undefined;
  for (let requests = 1; ; requests += 1) {
    if (requests > PAGES_AT_ONCE) await new Promise((resolve) => setTimeout(resolve, PAGE_DELAY_MS));
    const query = new URLSearchParams({
      ...(state !== undefined && { state }),
      ...(cursor !== undefined && { cursor }),
    });
    const page = await send(`jobs?${query}`, caller, async (answer) => {
      const nowMs = Date.parse(answer.headers.get('Date') ?? '');
      return { ...(await readJobs(answer)), nowMs: Number.isNaN(nowMs) ? Date.now() : nowMs };
    });
    if (page instanceof CaptureError) return page;
    // A job that changed its state between two pages is on both pages.
    for (const job of page.jobs) if (!jobs.has(job.id)) jobs.set(job.id, job);
    const { nowMs, nextCursor } = page;
    if (nextCursor === undefined || requests >= Math.min(pages, MAX_PAGES)) {
      return { jobs: [...jobs.values()], nowMs, requests, hasMore: nextCursor !== undefined };
    }
    cursor = nextCursor;
  }
}
