import { pipeline } from 'node:stream/promises';
import type { RequestHandler, Response } from 'express';
import { ServiceError } from '../../../errors.ts';
import type { StoredFile } from '../../../storage/storage.ts';
import { contextOf } from '../../request/request-context.ts';
import type { AppOptions } from '../route.ts';
import { captureHeaders } from '../send-capture.ts';
import { findJob, jobsOf } from './jobs-on.ts';

/** Of a client that reads nothing: its connection and its file are given up. */
const STALL_LIMIT_MS = 30_000;
/** Those of the log, of the context and of the pipeline come to eleven, one more than Node takes for no leak. */
const MAX_LISTENERS = 20;

/** Answers `GET /jobs/<id>/result` as `/capture` would have answered: with the bytes, or with the error. */
export function createResultHandler(options: Pick<AppOptions, 'jobs' | 'now'>): RequestHandler {
  return async (request, response) => {
    const jobs = jobsOf(options);
    const job = await findJob(jobs, String(request.params['id']), options.now() * 1_000);
    const { state, error, result } = job;
    if (state === 'failed' && error !== undefined) {
      throw new ServiceError(
        error.type,
        error.message,
        error.details === undefined ? {} : { details: error.details },
      );
    }
    if (state !== 'done') {
      throw new ServiceError('JobNotFinishedError', undefined, { details: `The job is ${state}` });
    }
    const file = result && (await jobs.storage.get(result.path));
    if (result === undefined || file === undefined) {
      throw new ServiceError('JobExpiredError', 'The result of this job is no longer kept');
    }
    const { summary } = contextOf(response);
    summary.format = result.format;
    response
      .set(captureHeaders({ format: result.format, response_type: result.responseType }, result.facts))
      .set({ 'X-Cache': result.cache, 'Cross-Origin-Resource-Policy': 'same-origin' });
    await sendFile(file, response);
  };
}

async function sendFile({ body, bytes }: StoredFile, response: Response): Promise<void> {
  response.set('Content-Length', `${bytes}`).status(200);
  response.setTimeout(STALL_LIMIT_MS, () => response.destroy());
  response.setMaxListeners(MAX_LISTENERS);
  try {
    await pipeline(body, response);
  } catch (error) {
    // Headers are out: who reads sees by the missing bytes that it went wrong.
    contextOf(response).log.debug({ err: error }, 'a stored result was not sent to its end');
    response.destroy();
  }
}
