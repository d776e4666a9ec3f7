import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { withTimeout } from '../timeouts.ts';
import { StorageProblem } from '../storage/storage-problem.ts';
import { createWorkListeners, type JobCounts, type JobStore } from './job-store.ts';

/** Time limit of a call, for a Redis that hangs. */
const ANSWER_LIMIT_MS = 5_000;
const WARN_EVERY_MS = 60_000;
/** Time for which counts are kept: health checks need no token and have no limit, and each would query the store. */
const KEEP_COUNTS_MS = 100;

const callTidy = ({ tidy }: JobStore): JobStore['tidy'] => tidy;

/** A store that may still be opening. */
export interface OpeningStore {
  readonly opening: Promise<JobStore>;
  /** Stops trying to open the store. */
  readonly giveUp: () => void;
}

/**
 * A store whose failures become a StorageError for clients, and a log line for operators, at most once a minute. A store that is still
 * being opened fails too. After a failed call, `counts` fails until a write of `tidy` succeeds: metrics and health depend on it. Its result
 * may be a tenth of a second old if no call has failed since.
 */
export function guardStore(
  { opening, giveUp }: OpeningStore,
  log: Logger,
  limitMs = ANSWER_LIMIT_MS,
): JobStore {
  let opened: JobStore | undefined;
  const { onWork, notifyWork } = createWorkListeners();
  const isOpen = opening.then((store) => {
    opened = store;
    store.onWork(notifyWork);
    notifyWork();
  });
  isOpen.catch((error: unknown) => {
    log.error({ err: error }, 'the job store could not be opened');
  });
  const failures = createFailures(log);
  /** @param discard handles an answer that arrives after the time limit */
  const guard =
    <Args extends unknown[], T>(
      callOf: (store: JobStore) => (...args: Args) => Promise<T>,
      discard?: (late: T, store: JobStore, ...args: Args) => Promise<unknown>,
    ) =>
    async (...args: Args): Promise<T> => {
      try {
        if (opened === undefined)
          throw new StorageProblem('the job store is not open yet', { isPassing: true });
        const store = opened;
        const call = callOf(store);
        const late = (): Error =>
          new StorageProblem(`the job store gave no answer within ${limitMs} ms`, { isPassing: true });
        const onLate = (result: T): void => void discard?.(result, store, ...args).catch(() => undefined);
        const result = await withTimeout(call(...args), limitMs, late, onLate);
        failures.forget(callOf);
        return result;
      } catch (error) {
        throw failures.record(error, callOf);
      }
    };

  const count = guard(({ counts }) => counts);
  const tidy = guard(callTidy);

  return {
    // A client with an idempotency key finds its jobs by sending the key again.
    submit: guard(
      ({ submit }) => submit,
      async (late, { withdraw }, _, idempotency) => idempotency ?? (await withdraw(late)),
    ),
    findSubmitted: guard(({ findSubmitted }) => findSubmitted),
    withdraw: guard(({ withdraw }) => withdraw),
    get: guard(({ get }) => get),
    list: guard(({ list }) => list),
    // A claim that is returned after the timeout must be released, or it counts as a failed attempt.
    claim: guard(
      ({ claim }) => claim,
      async (late, { giveBack }) => late && (await giveBack(late)),
    ),
    heartbeat: guard(({ heartbeat }) => heartbeat),
    finish: guard(({ finish }) => finish),
    fail: guard(({ fail }) => fail),
    retry: guard(({ retry }) => retry),
    giveBack: guard(({ giveBack }) => giveBack),
    cancel: guard(({ cancel }) => cancel),
    findSweepable: guard(({ findSweepable }) => findSweepable),
    remove: guard(({ remove }) => remove),
    tidy,
    loseResult: guard(({ loseResult }) => loseResult),
    recordFile: guard(({ recordFile }) => recordFile),
    dueFiles: guard(({ dueFiles }) => dueFiles),
    forgetFile: guard(({ forgetFile }) => forgetFile),
    claimWebhook: guard(
      ({ claimWebhook }) => claimWebhook,
      async (late, { giveBackWebhook }) => late && (await giveBackWebhook(late)),
    ),
    endWebhook: guard(({ endWebhook }) => endWebhook),
    retryWebhook: guard(({ retryWebhook }) => retryWebhook),
    giveBackWebhook: guard(({ giveBackWebhook }) => giveBackWebhook),
    counts: createKeptCounts(async () => {
      const found = await count();
      if (failures.any()) await tidy(); // `tidy` writes, which shows whether the store has recovered
      return found;
    }, failures.any),
    onWork,
    [Symbol.asyncDispose]: async () => {
      if (opened === undefined) giveUp();
      else await opened[Symbol.asyncDispose]();
    },
  };
}

/** Counts at most ten times a second while the store works. Calls at the same time share one count, so a failing store has one, too. */
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
    if (kept !== undefined && !isFailing() && performance.now() - kept.atMs < KEEP_COUNTS_MS)
      return kept.counts;
    return await (counting ??= countAnew().finally(() => {
      counting = undefined;
    }));
  };
}

/** Remembers the calls whose last attempt failed: while writes fail, for example on a full disk, reads may succeed. */
function createFailures(log: Logger) {
  const failing = new Set<object>();
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  let isLogged = false;

  return {
    any: (): boolean => failing.size > 0,
    /** Returns the error for the client. */
    record: (error: unknown, call: object): ServiceError => {
      if (error instanceof ServiceError) return error;
      failing.add(call);
      const details = error instanceof StorageProblem ? error.message : undefined;
      if (performance.now() - warnedAtMs >= WARN_EVERY_MS) {
        warnedAtMs = performance.now();
        isLogged = true;
        log.error({ err: error, reason: details }, "the job store fails: jobs can't be accepted or run");
      }
      return new ServiceError('StorageError', 'The job store failed', {
        cause: error,
        ...(details !== undefined && { details }),
      });
    },
    /** Removes a call from the failed ones. Call it after a success. */
    forget: (call: object): void => {
      if (failing.size === 0) return;
      failing.delete(call);
      if (call === callTidy) failing.clear(); // `tidy` writes, so the other calls will succeed as well
      if (failing.size > 0) return;
      if (isLogged) log.info('the job store works again');
      isLogged = false;
    },
  };
}
