import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWatchStore } from '../../../src/parts/watches/stores/open-watch-store.ts';
import type { WatchStore } from '../../../src/parts/watches/watch-store.ts';
import { fake } from '../../support/fake.ts';
import { HAS_REDIS, startRedis } from '../../support/redis.ts';
import { limitsOf, runOf, watchOf } from '../../support/watches.ts';

const SIZES = [50, 400];
/** Work on one page or one watch may grow with the logarithm only; a busy machine may take three times as long. */
const MOST_GROWTH = 3;
const ROUNDS = 20;

const log = fake<Parameters<typeof openWatchStore>[1]>({ error: () => undefined, warn: () => undefined });
const region = {
  x: 1,
  y: 2,
  width: 3,
  height: 4,
  kind: 'changed',
  selector: '#price',
  before: '10',
  after: '11',
} as const;
const comparison = { baseline: '0', ratio: 0.1, regions: Array.from({ length: 50 }, () => region) };

/** Returns the median milliseconds of a call. */
async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return times.toSorted((one, two) => one - two)[ROUNDS / 2] ?? 0;
}

/** Returns by how much the slowest call grows between the small and the large store. */
async function growthOf(store: WatchStore): Promise<Record<string, number>> {
  const times: Record<string, number[]> = { takeDue: [], list: [], runs: [], replace: [] };
  let made = 0;
  for (const size of SIZES) {
    for (; made < size; made++) {
      const id = String(made).padStart(6, '0');
      await store.add(watchOf(id, { nextAt: made === 0 ? 0 : 1e12 + made }), limitsOf(1e6));
      await store.putRun(runOf('000000', id, { outcome: 'changed', comparison }));
    }
    times['takeDue']?.push(
      await timeOf(async () => {
        expect((await store.takeDue(1_000, 2_000))?.id).toBe('000000');
        await store.giveBack('000000');
      }),
    );
    times['list']?.push(await timeOf(() => store.list(undefined, { limit: 50 })));
    times['runs']?.push(await timeOf(() => store.runs('000000', { limit: 50 })));
    times['replace']?.push(await timeOf(async () => store.replace((await store.get('000000')) ?? watchOf('none'))));
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, [first = 1, last = 1]]) => [name, last / Math.max(first, 0.5)]),
  );
}

describe('work on one watch or one page of a list', () => {
  it('does not grow with the number of watches and runs in SQLite', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'growing-watches-'));
    const store = await openWatchStore({ redisUrl: undefined, dataDir: folder }, log);
    const growth = await growthOf(store);
    await store.close();
    await rm(folder, { recursive: true });
    for (const [name, factor] of Object.entries(growth)) expect([name, factor < MOST_GROWTH]).toEqual([name, true]);
  });

  it.runIf(HAS_REDIS)('does not grow with them in Redis (needs redis-server)', async () => {
    await using redis = await startRedis();
    const store = await openWatchStore({ redisUrl: redis.url, dataDir: undefined }, log);
    const growth = await growthOf(store);
    await store.close();
    for (const [name, factor] of Object.entries(growth)) expect([name, factor < MOST_GROWTH]).toEqual([name, true]);
  });
});
