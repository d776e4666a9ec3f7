import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { viewOf } from '../job-view.ts';
import { DEFAULT_KEY, ownerOf } from '../../../core/access/key.ts';
import { ownAddress } from '../../../core/http/request/own-address.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { Core } from '../../../core/http/routes/route.ts';
import { readNewJobs } from './job-requests.ts';
import { jobsOf } from './jobs-on.ts';
import { validationError } from '../../../core/ground/errors.ts';
import type { JobRecord, NewJob } from '../job.ts';
import type { JobsState } from '../jobs.ts';
import type { UsageState } from '../../usage/usage.ts';
import type { Idempotency } from '../job-store.ts';

export type SubmitOptions = JobsState & UsageState & Pick<Core, 'parseFields' | 'checkAddresses' | 'config' | 'now'>;

/** Handles `POST /jobs` and `POST /jobs/batch`. */
export function createSubmitHandler(kind: 'one' | 'batch', options: SubmitOptions): RequestHandler {
  const submit = createSubmit(options);
  return async (request, response) => {
    const { body = {} }: { readonly body?: unknown } = request;
    const submitted = await submit(request, response, { kind, body, idempotencyKey: request.get('Idempotency-Key') });
    const { storage } = jobsOf(options);
    const views = await Promise.all(submitted.map((job) => viewOf(job, storage, ownAddress(request))));
    response.status(202);
    if (kind === 'one') response.set('Location', `/jobs/${submitted[0]?.id}`).json(views[0]);
    else response.json({ jobs: views });
  };
}

interface Submission {
  readonly kind: 'one' | 'batch';
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** Changes the jobs before they are stored. */
  readonly prepare?: (jobs: readonly NewJob[]) => readonly NewJob[];
}

/**
 * Creates the function that submits the jobs of a body. After it resolves, the jobs survive a crash of this process.
 * A request that repeats an idempotency key gets the jobs of the first one.
 */
export function createSubmit(options: SubmitOptions) {
  return async (request: Request, response: Response, submission: Submission): Promise<readonly JobRecord[]> => {
    const { kind, body, idempotencyKey, prepare = (jobs) => jobs } = submission;
    const jobs = jobsOf(options);
    const { key, signal, span } = contextOf(response);
    const owner = ownerOf(key);
    const idempotency = readIdempotency(idempotencyKey, { path: request.path, body, owner });
    const newJobs = prepare(
      await readNewJobs(body, kind, {
        parseFields: options.parseFields,
        key,
        hasWebhooks: jobs.signsWebhooks,
        checkAddresses: (requested) => options.checkAddresses(requested, key),
        signal,
        origin: ownAddress(request),
        traceparent: span?.traceparent,
        owner,
        maxBodyBytes: options.config.maxBodyBytes,
        namesPages: jobs.namesPages,
        nowMs: options.now() * 1_000,
      }),
    );
    // A repeated request returns its jobs even if the quota has been used up since.
    const known = idempotency && (await jobs.store.findSubmitted(idempotency));
    if (known === undefined) await options.usage?.refuseOver(key, newJobs.length);
    const submitted = known ?? (await jobs.store.submit(newJobs, idempotency));
    // otherwise they belong to an earlier request with this idempotency key
    const isNew = newJobs.some(({ id }) => id === submitted[0]?.id);
    if (key !== undefined && isNew) options.usage?.count(key.id, { jobs: submitted.length });
    return submitted;
  };
}

const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the idempotency key and the fingerprint of a request. Undefined without a key. Each owner has its own
 * idempotency keys.
 * @throws ServiceError ValidationError
 */
function readIdempotency(
  key: string | undefined,
  request: { readonly path: string; readonly body: unknown; readonly owner: string },
): Idempotency | undefined {
  if (key === undefined) return undefined;
  if (!KEY_FORM.test(key)) {
    throw validationError('Idempotency-Key: must be 1 to 255 visible ASCII characters, for example a UUID');
  }
  const text = JSON.stringify([request.path, inOrder(request.body)]);
  // The space separates owners, because keys of clients contain none. Keys of `default` keep the form of earlier
  // versions.
  const ownKey = request.owner === DEFAULT_KEY ? key : `${request.owner} ${key}`;
  return { key: ownKey, fingerprint: createHash('sha256').update(text).digest('base64url') };
}

/** Sorts fields by name, because clients may send them in any order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, each]) => [name, inOrder(each)]);
}
