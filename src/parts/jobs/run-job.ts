import { ServiceError } from '../../core/ground/errors.ts';
import type { Key } from '../../core/access/key.ts';
import { detailsFor } from '../../core/access/operator-hint.ts';
import { withRetries } from '../../core/ground/retries.ts';
import { abortReason } from '../../core/ground/timeouts.ts';
import { errorTypeOf, type Span, type Tracer } from '../../core/ground/tracer.ts';
import { causeOf } from './cause-of.ts';
import type { JobError } from './job.ts';
import { MAX_ATTEMPTS, RETRY_DELAYS_MS, RUN_ATTEMPTS } from './job-limits.ts';
import { createResults, LostError, type ResultOptions, type WriteRetries } from './job-results.ts';
import type { JobClaim } from './job-store.ts';
import { isRun } from './watch-runs.ts';

/** Result of an attempt. `lost`: another worker has the job now, or it was cancelled. */
export type AttemptEnd = 'done' | 'failed' | 'retried' | 'returned' | 'lost';

export interface RunOptions extends ResultOptions {
  readonly heartbeatMs: number;
  /** Delays before each attempt after the first. */
  readonly delaysMs?: readonly number[];
  /** Delay before a failed store write is retried. */
  readonly reportDelayMs?: number;
  readonly tracer?: Tracer | undefined;
}

/**
 * Maximum number of tries of a store write, so that a finished capture is not repeated because the store is briefly
 * unreachable.
 */
const REPORT_TRIES = 10;
const REPORT_DELAY_MS = 2_000;

interface Signals {
  /** Aborted when the service shuts down. */
  readonly closing: AbortSignal;
  /** Aborted when the claim is lost. */
  readonly lost: AbortController;
}

interface RunJob {
  /**
   * Makes one attempt. Never rejects.
   * @param closing aborted when the service shuts down: then the job is returned to the store
   */
  readonly run: (claim: JobClaim, closing: AbortSignal) => Promise<AttemptEnd>;
  /** Interrupts the attempt of a cancelled job, if it runs in this process. */
  readonly interrupt: (id: string) => void;
}

/** Runs attempts of jobs: captures, stores the result, then marks the job as done. */
export function createRunJob(options: RunOptions): RunJob {
  const { store, heartbeatMs, delaysMs = RETRY_DELAYS_MS, reportDelayMs = REPORT_DELAY_MS, log } = options;
  const withWriteRetries = createWriteRetries(reportDelayMs);
  const { makeResult, dropResult } = createResults(options, withWriteRetries);

  const fail = createFail(options);
  const afterFailure = async (claim: JobClaim, thrown: unknown): Promise<AttemptEnd> => {
    const error = describeError(thrown, options.keys.byId(claim.owner));
    const most = claim.isTriedOnce === true ? 1 : isRun(claim) ? RUN_ATTEMPTS : MAX_ATTEMPTS;
    if (claim.attempts >= most || isOwnFault(thrown)) return await fail(claim, error);
    const delayMs = delaysMs[claim.attempts - 1] ?? delaysMs.at(-1) ?? 0;
    return (await store.retry(claim, error, delayMs)) ? 'retried' : 'lost';
  };

  const running = new Map<string, AbortController>();

  const runHeld = async (
    claim: JobClaim,
    { closing, lost }: Signals,
    { span, onError }: { readonly span: Span | undefined; readonly onError: (error: unknown) => void },
  ): Promise<AttemptEnd> => {
    try {
      const result = await makeResult(claim, AbortSignal.any([closing, lost.signal]), span);
      if (await withWriteRetries(() => store.finish(claim, result))) return 'done';
      await dropResult(claim, result);
      return 'lost';
    } catch (error) {
      onError(error);
      if (lost.signal.aborted || error instanceof LostError) return 'lost';
      if (closing.aborted && error === abortReason(closing)) {
        await store.giveBack(claim);
        return 'returned';
      }
      if (!(error instanceof ServiceError)) log.error({ err: error, job: claim.id }, 'unexpected failure of a job');
      return await withWriteRetries(() => afterFailure(claim, error));
    }
  };

  const runTraced = async (claim: JobClaim, signals: Signals): Promise<AttemptEnd> => {
    const span = options.tracer?.start('job', { kind: 'consumer', ...causeOf(claim) });
    let error: string | undefined;
    let end: AttemptEnd = 'lost';
    const onError = (thrown: unknown): void => {
      error = errorTypeOf(thrown);
    };
    try {
      end = await runHeld(claim, signals, { span, onError });
      return end;
    } finally {
      const { id, attempts, owner } = claim;
      const attributes = {
        'capture.job': id,
        'capture.attempt': attempts,
        'capture.key': owner,
        'capture.job_end': end,
      };
      span?.end({ attributes, error });
    }
  };

  return {
    run: async (claim, closing) => {
      const lost = new AbortController();
      running.set(claim.id, lost);
      // An unreachable store does not mean that the claim is lost. The write at the end of the attempt shows it.
      const timer = setInterval(() => {
        store.heartbeat(claim).then(
          (isHeld) => {
            if (!isHeld) lost.abort(new LostError());
          },
          () => undefined,
        );
      }, heartbeatMs);
      try {
        // After so many crashed attempts, the job itself may be the cause.
        if (claim.attempts > MAX_ATTEMPTS) return await fail(claim, INTERRUPTED);
        return await runTraced(claim, { closing, lost });
      } catch {
        return 'lost'; // the store is unreachable, which was logged: another attempt follows when the lease has expired
      } finally {
        clearInterval(timer);
        if (running.get(claim.id) === lost) running.delete(claim.id);
      }
    },
    interrupt: (id) => running.get(id)?.abort(new LostError()),
  };
}

/** Returns a function that ends a job without a result. A run of a watch is recorded first. */
function createFail({ store, watchRuns }: Pick<RunOptions, 'store' | 'watchRuns'>) {
  return async (claim: JobClaim, error: JobError): Promise<AttemptEnd> => {
    if (isRun(claim)) {
      if (!(await store.heartbeat(claim))) return 'lost';
      await watchRuns?.()?.recordFailure(claim, error);
    }
    return (await store.fail(claim, error)) ? 'failed' : 'lost';
  };
}

/** Retries a store write while the lease lasts. */
function createWriteRetries(delayMs: number): WriteRetries {
  return async (write, signal) => {
    try {
      return await withRetries(write, {
        tries: REPORT_TRIES,
        isRetryable: () => signal?.aborted !== true,
        delaysMs: Array.from({ length: REPORT_TRIES }, () => delayMs),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  };
}

const INTERRUPTED: JobError = {
  type: 'InternalServerError',
  message: `The service ended during the capture, ${MAX_ATTEMPTS} times`,
};

/** True for errors that a retry would repeat. A rate limit or a quota may have room again. */
function isOwnFault(error: unknown): boolean {
  return error instanceof ServiceError && error.status < 500 && error.status !== 429;
}

function describeError(thrown: unknown, key?: Key): JobError {
  if (!(thrown instanceof ServiceError)) return describeError(new ServiceError('InternalServerError'));
  return { type: thrown.type, message: thrown.message, details: detailsFor(thrown, key) };
}
