import type { Failure } from '../service.ts';
import { type Job, type JobPage, listJobs } from './job-calls.ts';

/** More than that nobody reads; each state has a list of its own. */
export const MAX_PAGES = 10;
/** Each page draws from the caller's limit, of which captures need the rest: after some at once, slowly. */
const PAGES_AT_ONCE = 3;
const PAGE_PAUSE_MS = 400;

interface ReadJobs extends Pick<JobPage, 'nowMs'> {
  readonly kind: 'jobs';
  readonly jobs: readonly Job[];
  readonly requests: number;
  readonly hasMore: boolean;
}

/** The first pages of the list as it is now: what was read before may have come into another state. */
export async function readPages(
  { state, pages }: { readonly state: string | undefined; readonly pages: number },
  token: string | undefined,
): Promise<ReadJobs | Failure> {
  const jobs = new Map<string, Job>();
  let cursor: string | undefined;
  for (let requests = 1; ; requests += 1) {
    if (requests > PAGES_AT_ONCE) await new Promise((resolve) => setTimeout(resolve, PAGE_PAUSE_MS));
    const page = await listJobs({ state, cursor }, { token });
    if (page.kind === 'failure') return page;
    // One that has come into another state between two pages is in both.
    for (const job of page.jobs) if (!jobs.has(job.id)) jobs.set(job.id, job);
    const { nowMs, next } = page;
    if (next === undefined || requests >= Math.min(pages, MAX_PAGES)) {
      return { kind: 'jobs', jobs: [...jobs.values()], nowMs, requests, hasMore: next !== undefined };
    }
    cursor = next;
  }
}
