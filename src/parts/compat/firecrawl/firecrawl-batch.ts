import type { Request, RequestHandler, Response } from 'express';
import { buffer } from 'node:stream/consumers';
import { type ErrorType, ServiceError, validationError } from '../../../core/ground/errors.ts';
import { jobIdsOfBatch } from '../../jobs/job-id.ts';
import { isFinished, type JobRecord } from '../../jobs/job.ts';
import { MAX_BATCH } from '../../jobs/job-limits.ts';
import { openResult } from '../../jobs/open-result.ts';
import { createMutex } from '../../../core/ground/mutex.ts';
import { withoutLogin } from '../../../core/egress/url-login.ts';
import { isJsonObject } from '../../../core/ground/parse-json.ts';
import { toStorageError } from '../../storage/storage-problem.ts';
import { createFileMemory } from '../../../core/http/answers/send-file.ts';
import { ownAddress } from '../../../core/http/request/own-address.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import { findJob, jobsOf } from '../../jobs/routes/jobs-on.ts';
import { createSubmit, type SubmitOptions } from '../../jobs/routes/submit-jobs-route.ts';
import type { HandlerOptions } from '../../../core/http/routes/route.ts';
import type { JobsState } from '../../jobs/jobs.ts';
import { readGiven } from '../convert-options.ts';
import { toDocument } from './firecrawl-document.ts';
import { inTheirWords } from './firecrawl-errors.ts';
import { type DocumentParts, fieldsOf, GROUPS, lettersOf, partsOf, withScheme } from './firecrawl-options.ts';

/** The id of its first job, the number of its jobs, and the letters of the requested parts. */
const BATCH_ID = /^([0-9a-f-]{36})-(\d{1,3})-([a-z]{1,5})$/;
/** Characters of an address, as in `url`. */
const MAX_ADDRESS = 8_192;
/** Bytes of results in an answer. The next page has the rest. */
const PAGE_BYTES = 10_485_760;

/** Handles `POST /batch/scrape`: submits a job for each page. */
export function createBatchHandler(options: SubmitOptions): RequestHandler {
  const submit = createSubmit(options);
  return async (request, response) => {
    const { fields, parts } = fieldsOf(readGiven(request, GROUPS));
    const { key } = contextOf(response);
    const { valid, invalid } = await readUrls(request.body, (url) => options.checkAddresses({ url }, key));
    const { url: _url, ...defaults } = fields;
    const submitted = await submit(request, response, {
      kind: 'batch',
      body: { defaults, captures: valid.map((url) => ({ url })) },
      idempotencyKey: request.get('X-Idempotency-Key'),
      prepare: (jobs) => {
        const ids = jobIdsOfBatch(jobs[0]?.id ?? '', jobs.length);
        return jobs.map((job, index) => ({
          ...job,
          id: ids[index] ?? job.id,
          pageUrl: withoutLogin(valid[index] ?? ''),
          isTriedOnce: true,
        }));
      },
    });
    const id = `${submitted[0]?.id}-${submitted.length}-${lettersOf(parts)}`;
    const url = `${ownAddress(request)}${request.path}/${id}`;
    response.json({ success: true, id, url, ...(invalid.length > 0 && { invalidURLs: invalid }) });
  };
}

/** Invalid and forbidden addresses are left out, unless `ignoreInvalidURLs` is false. */
async function readUrls(
  body: unknown,
  checkAddress: (url: string) => Promise<void>,
): Promise<{ readonly valid: readonly string[]; readonly invalid: readonly unknown[] }> {
  const { urls: given, ignoreInvalidURLs: ignoresInvalid = true } = isJsonObject(body) ? body : {};
  const urls = Array.isArray(given) ? given.map(withScheme) : given;
  if (!Array.isArray(urls) || urls.length === 0 || urls.length > MAX_BATCH) {
    throw validationError(`urls: must be a list of 1 to ${MAX_BATCH} addresses`);
  }
  const valid = urls.filter(isWebAddress);
  if (valid.length === 0 || (valid.length < urls.length && ignoresInvalid === false)) {
    const first = urls.findIndex((url) => !isWebAddress(url));
    throw validationError(`urls[${first}]: must be an http or https address of at most ${MAX_ADDRESS} characters`);
  }
  if (ignoresInvalid === false || urls.length === 1) return { valid, invalid: [] };
  const forbidden = new Set<unknown>();
  for (const url of valid) if (await checkAddress(url).then(allow, refuse)) forbidden.add(url);
  if (valid.every((url) => forbidden.has(url))) await checkAddress(valid[0] ?? '');
  const isTaken = (url: unknown): url is string => isWebAddress(url) && !forbidden.has(url);
  return { valid: urls.filter(isTaken), invalid: urls.filter((url) => !isTaken(url)) };
}

const allow = (): false => false;

function refuse(error: unknown): true {
  if (error instanceof ServiceError && error.type === 'DestinationNotAllowedError') return true;
  throw error;
}

function isWebAddress(url: unknown): url is string {
  return typeof url === 'string' && url.length <= MAX_ADDRESS && /^https?:$/.test(URL.parse(url)?.protocol ?? '');
}

type ReadOptions = JobsState & Pick<HandlerOptions, 'now' | 'budgets' | 'sendBody'>;

interface Batch {
  readonly ids: readonly string[];
  /** Jobs that have not expired. */
  readonly found: readonly [JobRecord, ...JobRecord[]];
  readonly parts: DocumentParts;
}

/** @throws ServiceError JobExpiredError, NotFoundError */
async function readBatch(request: Request, response: Response, options: ReadOptions): Promise<Batch> {
  const jobs = jobsOf(options);
  const [, first = '', count = '', letters = ''] = BATCH_ID.exec(String(request.params['id'])) ?? [];
  const reader = { key: contextOf(response).key, nowMs: options.now() * 1_000 };
  const ids = jobIdsOfBatch(first, Math.min(Number(count), MAX_BATCH));
  const [, ...others] = ids;
  // The first one before the others, because anyone can write an id.
  const firstJob = await findJob(jobs, first, reader).catch(ignore('JobExpiredError'));
  const rest = others.map((id) => findJob(jobs, id, reader).catch(ignore('JobExpiredError', 'NotFoundError')));
  const [known, ...more] = [firstJob, ...(await Promise.all(rest))].filter((job) => job !== undefined);
  if (known === undefined) throw new ServiceError('JobExpiredError');
  return { ids, found: [known, ...more], parts: partsOf(letters) };
}

/** Handles `GET /batch/scrape/<id>/errors`: the pages that failed. */
export function createBatchErrorsHandler(options: ReadOptions): RequestHandler {
  return async (request, response) => {
    const { found } = await readBatch(request, response, options);
    const errors = found.flatMap(({ id, error, state, finishedAt = 0, pageUrl }) => {
      if (state !== 'failed' || error === undefined) return [];
      const { code, text } = inTheirWords(error.type, error.message, error.details);
      return [{ id, timestamp: new Date(finishedAt).toISOString(), url: pageUrl, code, error: text }];
    });
    response.set('Cache-Control', 'no-store').json({ success: true, errors, robotsBlocked: [] });
  };
}

/** Handles `GET /batch/scrape/<id>`, and `DELETE`, which cancels the jobs that have not ended. */
export function createReadBatchHandler(options: ReadOptions): RequestHandler {
  // Converting needs several times the memory of the result.
  const oneAtATime = createMutex();
  return async (request, response) => {
    const jobs = jobsOf(options);
    const { link, signal } = contextOf(response);
    const { ids, found, parts } = await readBatch(request, response, options);
    const [known] = found;
    if (request.method === 'DELETE') {
      for (const job of found) if (!isFinished(job)) await jobs.cancel(job.id);
      response.json({ success: true, status: 'cancelled' });
      return;
    }
    const takeMemory = createFileMemory(response, options.budgets.answers);
    const pieces: Buffer[] = [];
    let [at, bytes] = [Number(/^\d{1,3}$/.exec(link.query.get('skip') ?? '')?.[0] ?? 0), 0];
    for (; at < found.length; at++) {
      const result = found[at]?.result;
      if (result?.delivery.response_type !== 'json') continue; // not done, or a job of another kind
      if (bytes > 0 && bytes + result.bytes > PAGE_BYTES) break;
      takeMemory(result.bytes);
      bytes += result.bytes;
      const document = await oneAtATime(async () => {
        const file = await openResult(result, jobs.storage);
        if (file === undefined) return undefined; // removed early to make room
        const json = await buffer(file.body).catch(throwStorageError);
        return toDocument(json, parts, found[at]?.pageUrl ?? result.facts.targetUrl ?? '');
      }, signal);
      if (document === undefined) continue;
      if (pieces.length > 0) pieces.push(Buffer.from(','));
      pieces.push(...document);
    }
    const count = (state: JobRecord['state']): number => found.filter((job) => job.state === state).length;
    const head = JSON.stringify({
      success: true,
      status: statusOf(found),
      total: ids.length,
      completed: count('done') + count('failed') + ids.length - found.length,
      failed: count('failed'),
      creditsUsed: count('done'),
      expiresAt: new Date(known.createdAt + jobs.retentionSeconds * 1_000).toISOString(),
      ...(at < found.length && { next: `${ownAddress(request)}${request.path}?skip=${at}` }),
    });
    const body = Buffer.concat([Buffer.from(`${head.slice(0, -1)},"data":[`), ...pieces, Buffer.from(']}')]);
    response.set('Cache-Control', 'no-store').type('json');
    options.sendBody(response, body, { isKept: false });
  };
}

/** Jobs of a batch that ended early are removed before the others, which may still run. */
function ignore(...types: readonly ErrorType[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof ServiceError) || !types.includes(error.type)) throw error;
  };
}

function throwStorageError(error: unknown): never {
  throw toStorageError(error);
}

function statusOf(jobs: readonly JobRecord[]): string {
  if (!jobs.every(isFinished)) return 'scraping';
  if (jobs.some(({ state }) => state === 'done')) return 'completed';
  return jobs.some(({ state }) => state === 'cancelled') ? 'cancelled' : 'failed';
}
