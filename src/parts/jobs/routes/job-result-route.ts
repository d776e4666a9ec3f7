import type { RequestHandler } from 'express';
import { ServiceError } from '../../../core/ground/errors.ts';
import { sendFile, createFileMemory } from '../../../core/http/answers/send-file.ts';
import { openResult } from '../open-result.ts';
import { HELD_BYTES } from '../../storage/checked-file.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { JobsState } from '../jobs.ts';
import type { Core } from '../../../core/http/routes/route.ts';
import { captureHeaders } from '../../../core/http/routes/send-capture.ts';
import { findJob, jobsOf } from './jobs-on.ts';

/** Handles `GET /jobs/<id>/result`: returns the answer that `/capture` would have returned, the bytes or the error. */
export function createResultHandler(options: JobsState & Pick<Core, 'now' | 'budgets'>): RequestHandler {
  return async (request, response) => {
    const jobs = jobsOf(options);
    const { key, summary } = contextOf(response);
    const reader = { key, nowMs: options.now() * 1_000 };
    const job = await findJob(jobs, String(request.params['id']), reader);
    const { state, error, result } = job;
    if (state === 'failed' && error !== undefined) {
      throw new ServiceError(error.type, error.message, error.details === undefined ? {} : { details: error.details });
    }
    if (state !== 'done') {
      throw new ServiceError('JobNotFinishedError', undefined, { details: `The job is ${state}` });
    }
    if (result !== undefined) createFileMemory(response, options.budgets.answers)(Math.min(result.bytes, HELD_BYTES));
    const file = result && (await openResult(result, jobs.storage));
    if (result === undefined || file === undefined) {
      throw new ServiceError('JobExpiredError', 'The result of this job has expired');
    }
    summary.format = result.format;
    response
      .set(captureHeaders(result, result.facts, { isHit: false }))
      .set({ 'X-Cache': result.cache, 'Cross-Origin-Resource-Policy': 'same-origin' });
    response.set('Content-Length', `${file.bytes}`).status(200);
    await sendFile(file, response);
  };
}
