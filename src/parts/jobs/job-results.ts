import { createHash, randomBytes } from 'node:crypto';
import type { Capture, CaptureAnswer } from '../../core/capture/capture.ts';
import { answerKind, encodeJson } from '../../core/capture/answer.ts';
import type { RequestOptions } from '../../core/capture/request/options.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { Key } from '../../core/access/key.ts';
import { isOwnerValid, namespacedPath, type Owners } from '../../core/access/owners.ts';
import type { Logger } from '../../core/ground/log.ts';
import { BACKGROUND } from '../../core/queue/fair-share.ts';
import type { Storage } from '../storage/storage.ts';
import { ownPath } from '../storage/stored-path.ts';
import { type Span, traced } from '../../core/ground/tracer.ts';
import type { JobResult } from './job.ts';
import type { JobClaim, JobStore } from './job-store.ts';
import { isRun, type WatchRuns } from './watch-runs.ts';

export interface ResultOptions {
  readonly store: JobStore;
  readonly storage: Storage;
  /** Valid keys. */
  readonly keys: Owners;
  readonly capture: Capture;
  /** Called when the result of a capture is not kept, so that the quota of the key does not count it. Never rejects. */
  readonly onLostResult?: (key: Key | undefined, answer: CaptureAnswer) => Promise<void>;
  /**
   * Parses the fields of a job by the rules of its key. A template is rendered as it is now.
   * @throws ServiceError ValidationError; TemplateNotFoundError if the template was removed; FieldNotAllowedError if
   * the key has changed
   */
  readonly parse: (fields: unknown, key: Key | undefined) => Promise<RequestOptions>;
  /** Undefined: the service has no watches. */
  readonly watchRuns?: () => WatchRuns | undefined;
  readonly log: Logger;
}

/** The claim is lost. */
export class LostError extends Error {}

const KEY_HAS_ENDED = 'The key of this job was removed, is disabled or has expired';

export type WriteRetries = <T>(write: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

interface FinishedAttempt {
  readonly requested: RequestOptions;
  readonly answer: CaptureAnswer;
  readonly signal: AbortSignal;
}

/** Makes results of attempts, as files of the storage. */
export function createResults(
  { store, storage, keys, capture, onLostResult, parse, watchRuns, log }: ResultOptions,
  withWriteRetries: WriteRetries,
) {
  /** Another process may have cancelled the job since the last heartbeat. */
  const checkClaim = async (claim: JobClaim, signal: AbortSignal): Promise<void> => {
    if (!(await withWriteRetries(() => store.heartbeat(claim), signal))) throw new LostError();
  };
  /** Writes a file that the sweep deletes if the attempt does not keep it. Returns its path. */
  const write = async (
    claim: JobClaim,
    { name, body, contentType }: { readonly name: string; readonly body: Uint8Array; readonly contentType: string },
    signal: AbortSignal,
  ): Promise<string> => {
    const path = namespacedPath(claim.owner, name);
    const file = { path, jobId: claim.id, attempt: claim.attempts, recordedAt: Date.now() };
    await withWriteRetries(() => store.recordFile(file, 0), signal);
    await storage.put(path, body, contentType);
    return path;
  };
  const keepResult = async (claim: JobClaim, { requested, answer, signal }: FinishedAttempt): Promise<JobResult> => {
    const { caching, facts } = answer;
    const {
      delivery,
      capture: { format, include },
    } = requested;
    const { mimeType, extension } = answerKind({ format, ...delivery });
    const body = delivery.response_type === 'file' ? answer.file : await encodeJson(answer, format);
    signal.throwIfAborted();
    if (claim.storePath !== undefined) {
      await checkClaim(claim, signal); // the file at `store_path` is never deleted
      await storage.put(claim.storePath, body, mimeType);
    }
    signal.throwIfAborted();
    // Each attempt has its own path, so a late write of one attempt cannot replace the result of another.
    const name = ownPath('jobs', `${claim.id}-${randomBytes(4).toString('hex')}.${extension}`);
    const path = await write(claim, { name, body, contentType: mimeType }, signal);
    return {
      ...describeResult({ path, body, contentType: mimeType, caching }),
      format,
      delivery,
      facts,
      ...(delivery.response_type === 'json' && include?.includes('storage_state') === true && { isSecret: true }),
    };
  };

  return {
    /** Makes a capture and stores the result. */
    makeResult: async (claim: JobClaim, signal: AbortSignal, span: Span | undefined): Promise<JobResult> => {
      if (!isOwnerValid(keys, claim.owner)) throw new ServiceError('AuthenticationError', KEY_HAS_ENDED);
      const key = keys.byId(claim.owner);
      if (isRun(claim)) {
        const runs = watchRuns?.();
        if (runs === undefined) throw new ServiceError('NotFoundError', 'This service has no watches');
        return await runs.makeResult(claim, {
          key,
          signal,
          span,
          write: (name, body, contentType) => write(claim, { name, body, contentType }, signal),
          keep: (path) => withWriteRetries(() => store.forgetFile(path), signal),
          checkClaim: () => checkClaim(claim, signal),
          lose: async (answer) => await onLostResult?.(key, answer),
        });
      }
      const requested = await parse(claim.capture, key);
      const context = { id: claim.id, client: BACKGROUND, signal, log, key, span };
      const answer = await capture(requested.capture, context);
      try {
        return await traced(span, 'store', () => keepResult(claim, { requested, answer, signal }));
      } catch (error) {
        await onLostResult?.(key, answer);
        throw error;
      }
    },
    /**
     * Deletes the file of an attempt that lost its job. The file stays if an earlier `finish` has arrived without an
     * answer, because it is then the result.
     */
    dropResult: async ({ id }: JobClaim, { path }: JobResult): Promise<void> => {
      try {
        if ((await store.get(id))?.result?.path === path) return;
        await storage.delete(path);
        await store.forgetFile(path);
      } catch (error) {
        log.warn({ err: error, job: id }, 'the file of a lost attempt is left to the next sweep');
      }
    },
  };
}

/** Returns what a result says about its file. */
export function describeResult({
  path,
  body,
  contentType,
  caching,
}: {
  readonly path: string;
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly caching: CaptureAnswer['caching'];
}): Pick<JobResult, 'path' | 'contentType' | 'bytes' | 'sha256' | 'cache'> {
  const cache = caching === undefined ? 'BYPASS' : caching.isHit ? 'HIT' : 'MISS';
  const sha256 = createHash('sha256').update(body).digest('base64url');
  return { path, contentType, bytes: body.length, sha256, cache };
}
