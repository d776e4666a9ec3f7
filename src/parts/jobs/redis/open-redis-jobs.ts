import { setTimeout as delay } from 'node:timers/promises';
import { createThrottle, type Logger } from '../../../core/ground/log.ts';
import { asError } from '../../../core/ground/timeouts.ts';
import type { OpeningStore } from '../guard-store.ts';
import type { Leases } from '../job-store.ts';
import type { QueueLimits } from '../queue-limit.ts';
import type { UnreadableRecord } from '../job-codec.ts';
import { connectRedis, UnsuitableRedisError, refuseUnsuitable, untilReady } from './connect.ts';
import { createRedisStore } from './redis-job-store.ts';

const OPENING_LIMIT_MS = 2_000;
const RETRY_MS = 500;

/**
 * Opens the jobs in Redis. The store is ready when Redis was reached for the first time, however late.
 * @throws UnsuitableRedisError at once, if Redis is reachable and would evict jobs, or has those of a newer version
 */
export async function openRedisStore(
  url: string,
  { leases, queueLimits }: { readonly leases: Leases; readonly queueLimits?: QueueLimits },
  log: Logger,
  onUnreadable: (record: UnreadableRecord) => void,
): Promise<OpeningStore> {
  const onceAMinute = createThrottle();
  const onError = ({ message: reason }: Error): void =>
    onceAMinute(() => log.warn({ part: 'jobs', reason }, 'Redis does not answer: jobs wait until it does'));
  const client = await connectRedis(url, onError);
  const giveUp = (): void => {
    if (client.isOpen) client.destroy();
  };
  const open = async () => {
    for (;;) {
      await untilReady(client);
      try {
        await refuseUnsuitable(client);
        return await createRedisStore({ client, leases, queueLimits, onError, onUnreadable });
      } catch (error) {
        if (error instanceof UnsuitableRedisError || !client.isOpen) throw error;
        onError(asError(error)); // the connection was lost right after it was opened
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
  };
  try {
    if (client.isReady) await refuseUnsuitable(client);
  } catch (error) {
    if (error instanceof UnsuitableRedisError) {
      giveUp();
      throw error;
    }
    onError(asError(error));
  }
  const opening = open();
  // If Redis is reachable, the first request finds the store open.
  if (client.isReady) {
    await Promise.race([opening, delay(OPENING_LIMIT_MS, undefined, { ref: false })]).catch(() => undefined);
  }
  return { opening, giveUp };
}
