import type { RequestHandler } from 'express';
import { validationError } from '../../../core/ground/errors.ts';
import { isFinished, JOB_STATES, type JobRecord, type JobState } from '../job.ts';
import { JOBS_IN_A_PAGE } from '../job-limits.ts';
import type { JobPage, JobStore } from '../job-store.ts';
import { viewOf } from '../job-view.ts';
import { type Key, ownerOf, seesEverything } from '../../../core/access/key.ts';
import { ownAddress } from '../../../core/http/request/own-address.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { JobsState } from '../jobs.ts';
import type { Core } from '../../../core/http/routes/route.ts';
import { findJob, jobsOf } from './jobs-on.ts';

type Options = JobsState & Pick<Core, 'now'>;

/** Handles `GET /jobs`: a page of the jobs of the key, newest first in each state. `default` lists all jobs. */
export function createListHandler(options: Options): RequestHandler {
  return async (request, response) => {
    const jobs = jobsOf(options);
    const { key, link } = contextOf(response);
    const origin = ownAddress(request);
    const { jobs: found, next } = await listJobs(jobs.store, {
      state: link.query.get('state'),
      cursor: link.query.get('cursor'),
      ...(!seesEverything(key) && { owner: ownerOf(key) }),
    });
    response.json({
      jobs: await Promise.all(
        found.map(async (job) => ({ ...(await viewOf(job, jobs.storage, origin)), ...pageOf(job, key) })),
      ),
      ...(next !== undefined && { next_cursor: next }),
    });
  };
}

/** Handles `GET /jobs/<id>`, and `DELETE`, which cancels the job first. */
export function createJobHandler(options: Options): RequestHandler {
  return async (request, response) => {
    const jobs = jobsOf(options);
    const reader = { key: contextOf(response).key, nowMs: options.now() * 1_000 };
    let job = await findJob(jobs, String(request.params['id']), reader);
    if (request.method === 'DELETE' && !isFinished(job)) {
      await jobs.cancel(job.id);
      job = await findJob(jobs, job.id, reader);
    }
    response.json({ ...(await viewOf(job, jobs.storage, ownAddress(request))), ...pageOf(job, reader.key) });
  };
}

/** The address of a page may contain secrets: only the operator sees it, if WEBHOOK_URLS keeps it. */
function pageOf({ pageUrl }: JobRecord, key: Key | undefined): { readonly url?: string } {
  return pageUrl !== undefined && seesEverything(key) ? { url: pageUrl } : {};
}

interface ListRequest {
  readonly state: string | undefined;
  readonly cursor: string | undefined;
  /** Id of the key whose jobs are listed. Undefined: all jobs. */
  readonly owner?: string;
}

/** Lists jobs of one state, or of all states in order. A cursor starts with its state. */
async function listJobs(store: JobStore, { state, cursor, owner }: ListRequest): Promise<JobPage> {
  const states = state === undefined ? JOB_STATES : JOB_STATES.filter((name) => name === state);
  if (states.length === 0) throw validationError(`state: must be one of ${JOB_STATES.join(', ')}`);
  const [named, inside] = cursor?.split('.', 2) ?? [states[0], ''];
  const start = states.findIndex((name) => name === named);
  if (start === -1 || inside === undefined) throw validationError('cursor: must be a next_cursor of the same list');

  const found: JobPage['jobs'][number][] = [];
  for (const [index, name] of states.entries()) {
    if (index < start) continue;
    const limit = JOBS_IN_A_PAGE - found.length;
    if (limit === 0) return { jobs: found, next: cursorOf(name, '') };
    const from = index === start && inside !== '' ? { cursor: inside } : {};
    const page = await store.list(name, { ...from, limit, ...(owner !== undefined && { owner }) });
    found.push(...page.jobs);
    if (page.next !== undefined) return { jobs: found, next: cursorOf(name, page.next) };
  }
  return { jobs: found, next: undefined };
}

function cursorOf(state: JobState, at: string): string {
  return `${state}.${at}`;
}
