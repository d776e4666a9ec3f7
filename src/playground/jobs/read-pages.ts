import type { Failure } from '../service-calls.ts';
import { type Job, type JobPage, listJobs } from './job-calls.ts';

/** Maximum number of pages. Longer lists are useless, because each state has its own list. */
export const MAX_PAGES = 10;
/**
 * Number of pages to read without a delay. Each page counts against the rate limit, which captures need as well.
 * Further pages are read slowly.
 */
const PAGES_AT_ONCE = 3;
const PAGE_DELAY_MS = 400;

interface ReadJobs extends Pick<JobPage, 'nowMs'> {
  readonly kind: 'jobs';
  readonly jobs: readonly Job[];
  readonly requests: number;
  readonly hasMore: boolean;
}

/** Reads the first pages of the current list. States may have changed since the last read. */
export async function readPages(
  { state, pages }: { readonly state: string | undefined; readonly pages: number },
  token: string | undefined,
): Promise<ReadJobs | Failure> {
  const jobs = new Map<string, Job>();
  let cursor: string | undefined;
  for (let requests = 1; ; requests += 1) {
    if (requests > PAGES_AT_ONCE) await new Promise((resolve) => setTimeout(resolve, PAGE_DELAY_MS));
    const page = await listJobs({ state, cursor }, { token });
    if (page.kind === 'failure') return page;
    // A job that changed its state between two pages is on both pages.
    for (const job of page.jobs) if (!jobs.has(job.id)) jobs.set(job.id, job);
    const { nowMs, next } = page;
    if (next === undefined || requests >= Math.min(pages, MAX_PAGES)) {
      return { kind: 'jobs', jobs: [...jobs.values()], nowMs, requests, hasMore: next !== undefined };
    }
    cursor = next;
  }
}
