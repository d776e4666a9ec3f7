import { z } from 'zod';
import type { JobRedis } from './connect.ts';

/** Age of a reading. Redis answers in well under a millisecond. */
const FRESH_MS = 1_000;
/** Above this share, the sweep removes finished jobs early. */
const TIGHT = 0.7;
/** Above this share, no jobs are accepted, so that accepted ones can be claimed and ended: both need memory. */
const FULL = 0.8;

export type RedisMemory = ReturnType<typeof createRedisMemory>;

/**
 * Reads how full Redis is. A Redis without a limit is never full, and neither is one that evicts: its memory is always
 * used up by the cache.
 */
export function createRedisMemory(client: Pick<JobRedis, 'sendCommand'>) {
  let known: { readonly atMs: number; readonly share: number } | undefined;

  const read = async (): Promise<number> => {
    const info = z.string().parse(await client.sendCommand(['INFO', 'memory']));
    const numberOf = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
    const limit = numberOf('maxmemory');
    if (limit === 0 || !/^maxmemory_policy:noeviction/m.test(info)) return 0;
    return (numberOf('used_memory') - numberOf('mem_not_counted_for_evict')) / limit;
  };
  const share = async (): Promise<number> => {
    if (known === undefined || performance.now() - known.atMs >= FRESH_MS) {
      known = { atMs: performance.now(), share: await read() };
    }
    return known.share;
  };

  return {
    isFull: async (): Promise<boolean> => (await share()) > FULL,
    isTight: async (): Promise<boolean> => (await read()) > TIGHT,
  };
}
