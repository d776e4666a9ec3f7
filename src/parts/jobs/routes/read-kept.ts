import { buffer } from 'node:stream/consumers';
import type { Response } from 'express';
import { ownerOf } from '../../../core/access/key.ts';
import { namespacedPath } from '../../../core/access/owners.ts';
import { PATH_FORM } from '../../../core/capture/request/result-path.ts';
import { type ErrorType, ServiceError, validationError } from '../../../core/ground/errors.ts';
import { createFileMemory } from '../../../core/http/answers/send-file.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { HandlerOptions } from '../../../core/http/routes/route.ts';
import { noSuchFile } from '../../storage/routes/stored-route.ts';
import type { StorageState, StoredFile } from '../../storage/storage.ts';
import { isLinkedPath } from '../../storage/stored-path.ts';
import type { JobsState } from '../jobs.ts';
import { openResult } from '../open-result.ts';
import { findJob, jobsOf } from './jobs-on.ts';

/** Errors of routes that work on captures and kept files. */
export const SIDE_ERRORS: readonly ErrorType[] = [
  'ValidationError',
  'DestinationNotAllowedError',
  'NavigationError',
  'ElementNotFoundError',
  'ActionFailedError',
  'PageRejectedError',
  'PageStatusError',
  'ResultTooLargeError',
  'AuthenticationError',
  'ScopeError',
  'FieldNotAllowedError',
  'CrossSiteRequestError',
  'NotFoundError',
  'TemplateNotFoundError',
  'TemplateError',
  'MethodNotAllowedError',
  'JobNotFinishedError',
  'JobExpiredError',
  'PayloadTooLargeError',
  'UnsupportedMediaTypeError',
  'RateLimitError',
  'QuotaExceededError',
  'PageCrashedError',
  'InternalServerError',
  'StorageError',
  'OverloadedError',
  'TimeoutError',
];

/** What keeps files of earlier requests. */
export type KeptFiles = StorageState & JobsState;

/** Names a stored result, or the result of a job. */
export type KeptFile = { readonly stored: string } | { readonly job: string };

/**
 * Returns a function that reads a file of an earlier request of the same key. Its bytes count against the memory for
 * answers until the request is answered.
 * @param tooLarge returns the error for a file above MAX_RESULT_BYTES
 * @throws ServiceError NotFoundError, JobNotFinishedError, JobExpiredError, OverloadedError
 */
export function createReadKept(
  options: KeptFiles & Pick<HandlerOptions, 'now' | 'budgets' | 'config'>,
  tooLarge: (details: string) => ServiceError,
): (kept: KeptFile, response: Response) => Promise<Buffer> {
  const { budgets, config } = options;
  return async (kept, response) => {
    const hold = createFileMemory(response, budgets.answers);
    const file =
      'job' in kept ? await fileOfJob(kept.job, response, options) : await storedFile(kept.stored, response, options);
    try {
      if (file.bytes > config.maxResultBytes) throw tooLarge(`has more than ${config.maxResultBytes} bytes`);
      hold(file.bytes);
    } catch (error) {
      file.body.destroy();
      throw error;
    }
    return await buffer(file.body);
  };
}

async function storedFile(path: string, response: Response, { resultStorage }: KeptFiles): Promise<StoredFile> {
  if (!isLinkedPath(path)) throw validationError(`stored: must be ${PATH_FORM}`);
  const file = await resultStorage?.get(namespacedPath(ownerOf(contextOf(response).key), path));
  if (file === undefined) throw noSuchFile();
  return file;
}

async function fileOfJob(
  id: string,
  response: Response,
  options: KeptFiles & Pick<HandlerOptions, 'now'>,
): Promise<StoredFile> {
  const jobs = jobsOf(options);
  const { state, result } = await findJob(jobs, id, { key: contextOf(response).key, nowMs: options.now() * 1_000 });
  if (state !== 'done') throw new ServiceError('JobNotFinishedError', undefined, { details: `The job is ${state}` });
  const file = result && (await openResult(result, jobs.storage));
  if (file === undefined) throw new ServiceError('JobExpiredError', 'The result of this job has expired');
  return file;
}
