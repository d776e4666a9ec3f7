import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOpenRedis } from '../../../src/parts/stores/redis-connection.ts';
import { createRedisLink } from '../../../src/parts/stores/redis-link.ts';
import { createMemoryUsageStore, createThreadStore } from '../../../src/parts/usage/create-usage.ts';
import { createRedisUsageStore, USAGE_TRIAL } from '../../../src/parts/usage/redis-usage.ts';
import { dayOf, oldestDay } from '../../../src/parts/usage/usage-days.ts';
import type { Reservation, UsageChange, UsageStore } from '../../../src/parts/usage/usage-store.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';

const TODAY = dayOf(Date.now());
const MONTH = TODAY.slice(0, 7);
const ENGINES = ['memory', 'SQLite', 'Redis'] as const;

let redis: TestRedis | undefined;
let folder: string;
let opened: UsageStore[];

beforeAll(async () => {
  redis = HAS_REDIS ? await startRedis() : undefined;
});
afterAll(async () => redis?.[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-'));
  opened = [];
  await redis?.send(['FLUSHALL', 'SYNC']);
});
afterEach(async () => {
  for (const store of opened) await store.close();
  await rm(folder, { recursive: true });
});

/** Opens a store as an instance of the service does. */
async function open(engine: (typeof ENGINES)[number]): Promise<UsageStore> {
  const store = await create(engine);
  opened.push(store);
  return store;
}

async function create(engine: (typeof ENGINES)[number]): Promise<UsageStore> {
  if (engine === 'memory') return await createMemoryUsageStore();
  if (engine === 'SQLite') return createThreadStore(folder);
  const link = await createRedisLink({
    open: createOpenRedis(redis?.url ?? ''),
    part: 'usage',
    timeoutMs: 5_000,
    trial: USAGE_TRIAL,
    log: pino({ level: 'silent' }),
  });
  return createRedisUsageStore(link);
}

function reservation(key = 'shop', period = MONTH): Reservation {
  return { id: randomUUID(), key, period };
}

function change(add: UsageChange['add'], more: Partial<UsageChange> = {}): UsageChange {
  return { key: 'shop', day: TODAY, add, ended: [], ...more };
}

for (const engine of ENGINES) {
  describe.skipIf(engine === 'Redis' && !HAS_REDIS)(
    `the store of usage in ${engine} (Redis needs redis-server)`,
    () => {
      it('adds counters per key and day, and reads the days in order', async () => {
        const store = await open(engine);
        const [first, second] = ['2026-10-31', '2026-11-02'];

        await store.write({
          id: 'a',
          changes: [
            change({ captures: 2, bytes: 3_000_000_000 }, { day: second }),
            change({ cached: 1, failed: 1, jobs: 5 }, { day: first }),
            change({ captures: 7 }, { key: 'other', day: first }),
          ],
        });
        await store.write({
          id: 'b',
          changes: [change({ captures: 1, bytes: 3_000_000_000 }, { day: second })],
        });

        expect(await store.read('shop', '2026-10-01', '2026-11-30')).toEqual([
          { date: first, captures: 0, cached: 1, failed: 1, jobs: 5, bytes: 0 },
          { date: second, captures: 3, cached: 0, failed: 0, jobs: 0, bytes: 6_000_000_000 },
        ]);
        expect(await store.read('shop', '2026-11-01', '2026-11-01')).toEqual([]);
        expect(await store.read('nobody', '2026-10-01', '2026-11-30')).toEqual([]);
        expect(await store.read('shop', '9999-12-01', '9999-12-31')).toEqual([]); // looped over millions of months
      });

      it('writes a batch once, although it is sent again', async () => {
        const store = await open(engine);
        const batch = { id: 'same', changes: [change({ captures: 1 })] };

        await store.write(batch);
        await store.write(batch);

        expect(await store.standing('shop', MONTH)).toEqual({ used: 1, held: 0 });
      });

      it('reserves up to the limit, and again after a reservation has ended', async () => {
        const store = await open(engine);
        const [first, second, third] = [reservation(), reservation(), reservation()];
        await store.write({ id: 'before', changes: [change({ captures: 1 })] });

        expect(await store.reserve(first, 3)).toEqual({ isTaken: true, used: 1, held: 1 });
        expect(await store.reserve(second, 3)).toEqual({ isTaken: true, used: 1, held: 2 });
        expect(await store.reserve(third, 3)).toEqual({ isTaken: false, used: 1, held: 2 });

        await store.write({ id: 'counted', changes: [change({ captures: 1 }, { ended: [first] })] });
        expect(await store.reserve(third, 3)).toEqual({ isTaken: false, used: 2, held: 1 });
        await store.write({ id: 'given back', changes: [change({}, { ended: [second] })] });
        expect(await store.reserve(third, 3)).toEqual({ isTaken: true, used: 2, held: 1 });
      });

      it('separates keys, days and months', async () => {
        const store = await open(engine);
        await store.write({ id: 'a', changes: [change({ captures: 4 }, { day: `${MONTH}-01` })] });
        await store.reserve(reservation('shop', '2020-01'), 9);

        expect(await store.standing('shop', MONTH)).toEqual({ used: 4, held: 0 });
        expect(await store.standing('shop', `${MONTH}-01`)).toEqual({ used: 4, held: 0 });
        expect(await store.standing('shop', `${MONTH}-02`)).toEqual({ used: 0, held: 0 });
        expect(await store.standing('shop', '2020-01')).toEqual({ used: 0, held: 1 });
        expect(await store.standing('shop2', MONTH)).toEqual({ used: 0, held: 0 });
      });

      it('grants exactly 10 of 64 concurrent reservations', async () => {
        const one = await open(engine);
        const other = engine === 'memory' ? one : await open(engine);

        const granted = await Promise.all(
          Array.from({ length: 64 }, (_, sent) => (sent % 2 === 0 ? one : other).reserve(reservation(), 10)),
        );

        expect(granted.filter(({ isTaken }) => isTaken)).toHaveLength(10);
      });
    },
  );
}

/** Uses the file as another program. */
function query(sql: string): unknown[] {
  using database = new DatabaseSync(join(folder, 'usage.sqlite'));
  return database.prepare(sql).all();
}

describe('the store of usage in SQLite', () => {
  it('keeps usage for its next start, for its user only', async () => {
    const store = await open('SQLite');
    await store.write({ id: 'a', changes: [change({ captures: 3 })] });
    await store.close();

    expect((await stat(join(folder, 'usage.sqlite'))).mode & 0o777).toBe(0o600);
    expect(await (await open('SQLite')).standing('shop', MONTH)).toEqual({ used: 3, held: 0 });
  });

  it('drops reservations that were not renewed, also those before a restart of the machine', async () => {
    const store = await open('SQLite');
    await store.reserve(reservation(), 9);
    await store.reserve(reservation(), 9);
    query('UPDATE held SET ends_at = 1 WHERE id = (SELECT min(id) FROM held) RETURNING id');
    expect(await store.standing('shop', MONTH)).toEqual({ used: 0, held: 1 });

    query('UPDATE held SET ends_at = ends_at + 1000000000 RETURNING id');
    expect(await store.reserve(reservation(), 9)).toEqual({ isTaken: true, used: 0, held: 1 });
  });

  it('adds a renewed reservation again that had expired', async () => {
    const store = await open('SQLite');
    const mine = reservation();
    await store.reserve(mine, 9);
    query('DELETE FROM held RETURNING id');

    await store.renew([mine]);

    expect(await store.standing('shop', MONTH)).toEqual({ used: 0, held: 1 });
  });

  it('drops days that are older than 400 days', async () => {
    const store = await open('SQLite');
    const oldest = oldestDay(Date.now());
    const older = dayOf(Date.parse(oldest) - 1);

    await store.write({
      id: 'a',
      changes: [change({ jobs: 1 }, { day: oldest }), change({ jobs: 1 }, { day: older })],
    });

    expect((await store.read('shop', '2020-01-01', TODAY)).map(({ date }) => date)).toEqual([oldest]);
  });

  it('rejects while another program holds the lock, and works after that', async () => {
    const store = await open('SQLite');
    await store.write({ id: 'a', changes: [] });
    const program = new DatabaseSync(join(folder, 'usage.sqlite'));
    program.exec('BEGIN IMMEDIATE');

    await expect(store.write({ id: 'b', changes: [change({ jobs: 1 })] })).rejects.toThrow(
      'another program holds the lock of usage.sqlite in DATA_DIR. Close that program',
    );
    program.exec('ROLLBACK');
    program.close();

    await store.write({ id: 'b', changes: [change({ jobs: 1 })] });
    expect(await store.read('shop', TODAY, TODAY)).toHaveLength(1);
  });

  it('waits for a thread that starts slowly', async () => {
    const module = new URL('../../../src/parts/usage/sqlite-usage-worker.ts', import.meta.url).href;
    const program = `setTimeout(() => import(${JSON.stringify(module)}), 1_800)`;
    const startWorker = () => new Worker(program, { eval: true, workerData: { folder } });
    const store = createThreadStore(folder, { startWorker });
    opened.push(store);

    await store.write({ id: 'a', changes: [change({ jobs: 1 })] });

    expect(await store.read('shop', TODAY, TODAY)).toHaveLength(1);
  });

  it('keeps a bounded number of calls for a thread that hangs, as on a network drive', async () => {
    const program = `require('node:worker_threads').parentPort.on('message', () => undefined)`;
    let worker: Worker | undefined;
    const startWorker = () => (worker = new Worker(program, { eval: true }));
    const store = createThreadStore(folder, { startWorker });
    const waiting = Array.from({ length: 2_000 }, () => store.standing('shop', MONTH).catch(() => undefined));

    await expect(store.standing('shop', MONTH)).rejects.toThrow('usage.sqlite does not answer');

    await worker?.terminate();
    await Promise.all(waiting);
  });

  it('rejects if the folder cannot be used', async () => {
    await writeFile(join(folder, 'file'), '');
    const store = createThreadStore(join(folder, 'file'));
    opened.push(store);

    await expect(store.standing('shop', MONTH)).rejects.toThrow('DATA_DIR is not a folder');
  });
});

/** Returns the milliseconds until a key of Redis expires. -1: never. */
async function ttlOf(pattern: string): Promise<number> {
  const keys: unknown = await redis?.send(['KEYS', `capture-service:usage:${pattern}`]);
  const [key] = Array.isArray(keys) ? keys : [];
  return Number(await redis?.send(['PTTL', String(key)]));
}

describe.skipIf(!HAS_REDIS)('the store of usage in Redis (needs redis-server)', () => {
  it('keeps counters for 400 days after their month, and reservations for 30 s', async () => {
    const store = await open('Redis');
    await store.write({ id: 'a', changes: [change({ captures: 3 }, { day: '2025-12-31' })] });
    expect(await ttlOf('days:shop:2025-12')).toBe(-1); // Redis may evict keys with a TTL
    await store.write({ id: 'b', changes: [change({ captures: 3 }, { day: '2026-01-01' })] });
    await store.reserve(reservation(), 9);

    const days = (await ttlOf('days:shop:2025-12')) / 86_400_000;
    expect(days).toBeGreaterThan(399);
    expect(days).toBeLessThanOrEqual(400);
    expect(await ttlOf('days:shop:2026-01')).toBe(-1);
    expect(await ttlOf('held:*')).toBeGreaterThan(0);
    expect(await ttlOf('held:*')).toBeLessThanOrEqual(30_000);
    expect(await ttlOf('batch:*')).toBeLessThanOrEqual(3_600_000);
  });

  it('lets the counters of a key expire that was not used in the next month, or never again', async () => {
    const store = await open('Redis');
    await store.write({ id: 'a', changes: [change({ captures: 3 }, { key: 'gone', day: '2025-10-31' })] });
    await store.write({ id: 'b', changes: [change({ captures: 3 }, { day: '2025-12-31' })] });
    await store.write({ id: 'c', changes: [change({ captures: 3 }, { day: '2026-03-01' })] });

    for (const months of ['days:gone:2025-10', 'days:shop:2025-12'])
      expect((await ttlOf(months)) / 86_400_000).toBeGreaterThan(399);
    expect(await ttlOf('days:shop:2026-03')).toBe(-1);
  });

  it('drops reservations that were not renewed', async () => {
    const store = await open('Redis');
    const [renewed, abandoned] = [reservation(), reservation()];
    await store.reserve(renewed, 9);
    await store.reserve(abandoned, 9);
    const held = `capture-service:usage:held:shop:${MONTH}`;
    for (const { id } of [renewed, abandoned]) await redis?.send(['ZADD', held, '1', id]);

    await store.renew([renewed]);

    expect(await store.standing('shop', MONTH)).toEqual({ used: 0, held: 1 });
  });

  it('rejects while Redis does not answer', async () => {
    const store = await open('Redis');
    await redis?.kill();

    await expect(store.reserve(reservation(), 9)).rejects.toThrow('Redis does not answer');
    await expect(store.read('shop', TODAY, TODAY)).rejects.toThrow('Redis does not answer');
    await redis?.restart();
  });
});
