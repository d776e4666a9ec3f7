import { ServiceError, StorageProblem } from '../../core/ground/errors.ts';
import { PeerEndedError } from '../../core/processes/peer-calls.ts';
import { createThrottle, type Logger } from '../../core/ground/log.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import type { AnyValue } from '../../core/processes/peers.ts';
import type { JobRecord } from './job.ts';
import {
  createWorkListeners,
  type JobClaim,
  type JobCounts,
  type JobStore,
  proxyStore,
  type StoreCall,
  type WebhookClaim,
} from './job-store.ts';

/** Time limit of a call, for a Redis that hangs. */
const ANSWER_LIMIT_MS = 5_000;
/** Time for which counts are kept: health checks need no token and have no limit, and each would query the store. */
const KEEP_COUNTS_MS = 100;

/** Handles a result that arrives after the time limit, when the client has already received an error. */
type Discard = (late: AnyValue, store: JobStore, args: readonly unknown[]) => Promise<unknown>;
const DISCARD: Readonly<Partial<Record<StoreCall, Discard>>> = {
  // A client with an idempotency key finds its jobs by sending the key again.
  submit: async (late: readonly JobRecord[], { withdraw }, [, idempotency]) =>
    idempotency ?? (await withdraw(late.map(({ id }) => id))),
  // A claim that nobody has would count as a failed attempt when its lease ends.
  claim: async (late: JobClaim | undefined, { giveBack }) => late && (await giveBack(late)),
  claimWebhook: async (late: WebhookClaim | undefined, { giveBackWebhook }) => late && (await giveBackWebhook(late)),
};

/** A store that may still be opening. */
export interface OpeningStore {
  readonly opening: Promise<JobStore>;
  /** Stops trying to open the store. */
  readonly giveUp: () => void;
}

/**
 * A store whose failures become a StorageError for clients, and a log line for operators, at most once a minute. A
 * store that is still being opened fails too. After a failed call, `counts` fails until a write of `tidy` succeeds:
 * metrics and health depend on it. Its result may be a tenth of a second old if no call has failed since.
 */
export function guardStore({ opening, giveUp }: OpeningStore, log: Logger, limitMs = ANSWER_LIMIT_MS): JobStore {
  let opened: JobStore | undefined;
  const { onWork, notifyWork } = createWorkListeners();
  const isOpen = opening.then((store) => {
    opened = store;
    store.onWork(notifyWork);
    notifyWork();
  });
  isOpen.catch((error: unknown) => log.error({ err: error }, 'the job store could not be opened'));
  const failures = createFailures(log);
  const call = async (name: StoreCall, args: readonly unknown[]): Promise<AnyValue> => {
    try {
      const store = opened;
      if (store === undefined) throw new StorageProblem('the job store is not open yet', { isRetryable: true });
      const late = (): Error =>
        new StorageProblem(`the job store gave no answer within ${limitMs} ms`, { isRetryable: true });
      const discard = (result: AnyValue): void => void DISCARD[name]?.(result, store, args).catch(() => undefined);
      const result = await withTimeout(Reflect.apply(store[name], store, args), limitMs, late, discard);
      failures.forget(name);
      return result;
    } catch (error) {
      throw failures.record(error, name);
    }
  };

  return proxyStore(call, {
    counts: createKeptCounts(async () => {
      const found: JobCounts = await call('counts', []);
      if (failures.hasAny()) await call('tidy', []); // `tidy` writes, which shows whether the store has recovered
      return found;
    }, failures.hasAny),
    onWork,
    [Symbol.asyncDispose]: async () => {
      if (opened === undefined) giveUp();
      else await opened[Symbol.asyncDispose]();
    },
  });
}

/**
 * Counts at most ten times a second while the store works. Calls at the same time share one count, so a failing store
 * has one, too.
 */
function createKeptCounts(count: JobStore['counts'], isFailing: () => boolean): JobStore['counts'] {
  let counting: Promise<JobCounts> | undefined;
  let kept: { readonly counts: JobCounts; readonly atMs: number } | undefined;
  const countAnew = async (): Promise<JobCounts> => {
    kept = undefined;
    const counts = await count();
    kept = { counts, atMs: performance.now() };
    return counts;
  };
  return async () => {
    if (kept !== undefined && !isFailing() && performance.now() - kept.atMs < KEEP_COUNTS_MS) return kept.counts;
    return await (counting ??= countAnew().finally(() => (counting = undefined)));
  };
}

/** Remembers the calls whose last attempt failed: while writes fail, for example on a full disk, reads may succeed. */
function createFailures(log: Logger) {
  const failing = new Set<StoreCall>();
  const onceAMinute = createThrottle();
  let isLogged = false;

  return {
    hasAny: (): boolean => failing.size > 0,
    /** Returns the error for the client. */
    record: (error: unknown, call: StoreCall): ServiceError => {
      if (error instanceof ServiceError) return error;
      failing.add(call);
      const details = error instanceof StorageProblem || error instanceof PeerEndedError ? error.message : undefined;
      onceAMinute(() => {
        isLogged = true;
        log.error({ err: error, reason: details }, "the job store fails: jobs can't be accepted or run");
      });
      return new ServiceError('StorageError', 'The job store failed', {
        cause: error,
        ...(details !== undefined && { details }),
      });
    },
    /** Removes a call from the failed ones. Call it after a success. */
    forget: (call: StoreCall): void => {
      if (failing.size === 0) return;
      failing.delete(call);
      if (call === 'tidy') failing.clear(); // `tidy` writes, so the other calls will succeed as well
      if (failing.size > 0) return;
      if (isLogged) log.info('the job store works again');
      isLogged = false;
    },
  };
}
