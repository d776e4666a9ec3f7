import { ServiceError } from '../../../core/ground/errors.ts';
import { withRetries } from '../../../core/ground/retries.ts';
import { withTimeout } from '../../../core/ground/timeouts.ts';
import type { Idempotency, JobStore } from '../job-store.ts';
import type { NewJob } from '../job.ts';
import { untilReady } from './connect.ts';
import { CONFIRM_MS, KEYS } from './redis-keys.ts';
import type { RedisParts } from './redis-parts.ts';

// Delays before retries. Their sum is less than the time limit of `guardStore`, so that the answer to the client is
// decided here.
const PREPARE_LIMIT_MS = 3_000;
const CONFIRM_LIMIT_MS = 1_000;
const CLEAN_UP_LIMIT_MS = 500;

const RETRY_DELAY_MS = 200;
const RETRY_AFTER_SECONDS = 10;

const late = (): Error => new Error('Redis gave no answer in time');

/**
 * Adds jobs in two steps: the first stores them, the second confirms them. A job without the second step never runs.
 * When Redis has acknowledged the first step, the client gets a success, and the confirmation is retried until Redis
 * accepts it. Otherwise the client gets an error, and the jobs are never confirmed, even if they arrive late.
 */
export function createSubmit(
  { client, queues, side, room, memory, onError }: RedisParts,
  withdraw: JobStore['withdraw'],
) {
  const untilAnswered = <T>(attempt: () => Promise<T>): Promise<T> => {
    const endsAtMs = performance.now() + CONFIRM_MS;
    return withRetries(
      async () => {
        await untilReady(client);
        return await attempt();
      },
      {
        tries: Number.POSITIVE_INFINITY,
        isRetryable: (error) => client.isOpen && performance.now() < endsAtMs && !(error instanceof ServiceError),
        delaysMs: [RETRY_DELAY_MS],
      },
    );
  };
  /** Removes unconfirmed jobs. */
  const discard = async (ids: readonly string[]): Promise<void> => {
    await withdraw(ids);
    await client.hDel(KEYS.prepared, [...ids]);
  };
  /** Removes jobs of a refused submission that have arrived. The sweep removes jobs that arrive later. */
  const cleanUp = (ids: readonly string[]): Promise<void> =>
    untilAnswered(async () => {
      const isThere = await client.exists(ids.map((id) => queues.work.queue.toKey(id)));
      // Writes only if necessary, because a full Redis refuses most writes.
      if (isThere > 0 || (await client.hmGet(KEYS.prepared, [...ids])).some((text) => text !== null))
        await discard(ids);
    });
  /** Returns the ids of the jobs that an earlier submission with the same key has added. */
  const prepare = async (
    jobs: readonly NewJob[],
    idempotency: Idempotency | undefined,
    refused: AbortSignal,
  ): Promise<readonly string[] | undefined> => {
    const known = idempotency && (await side.findKey(idempotency));
    if (known !== undefined) return known;
    if (await memory.isFull()) {
      throw new ServiceError('OverloadedError', 'The job store is nearly full', {
        details: 'Redis has used more than 80 % of its maxmemory',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    const stored = await room.take(jobs);
    refused.throwIfAborted(); // nothing would remove jobs that are added after the clean-up
    await queues.add(jobs).finally(stored);
    return undefined;
  };

  /** Like `JobStore.submit`, but returns the ids. */
  const submit = async (jobs: readonly NewJob[], idempotency?: Idempotency): Promise<readonly string[]> => {
    // Fails at once, because a transaction would be queued and sent later while the connection is lost.
    if (!client.isReady) throw new Error('Redis is not connected');
    const ids = jobs.map(({ id }) => id);
    const refusing = new AbortController();
    try {
      const preparing = prepare(jobs, idempotency, refusing.signal);
      const known = await withTimeout(preparing, PREPARE_LIMIT_MS, late);
      if (known !== undefined) return known;
    } catch (error) {
      refusing.abort(error);
      if (!(error instanceof ServiceError)) void cleanUp(ids).catch(onError); // otherwise nothing was added
      throw error;
    }
    try {
      const confirming = untilAnswered(() => side.confirm(ids, idempotency, false));
      const chosen = await withTimeout(confirming, CONFIRM_LIMIT_MS, late);
      if (chosen !== ids) await withTimeout(cleanUp(ids), CLEAN_UP_LIMIT_MS, late).catch(onError);
      return chosen;
    } catch (error) {
      if (error instanceof ServiceError) {
        void cleanUp(ids).catch(onError);
        throw error;
      }
      // The client gets a success. The confirmation is sent when Redis is reachable again.
      void untilAnswered(() => side.confirm(ids, idempotency, true)).catch(onError);
      return ids;
    }
  };
  return { submit, discard };
}
