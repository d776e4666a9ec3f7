import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWatchStore } from '../../../src/parts/watches/stores/open-watch-store.ts';
import { updateWatch, type WatchStore } from '../../../src/parts/watches/watch-store.ts';
import { fake } from '../../support/fake.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { limitsOf, runOf, watchOf } from '../../support/watches.ts';

const log = fake<Parameters<typeof openWatchStore>[1]>({ error: () => undefined, warn: () => undefined });

let folder: string;
let redis: TestRedis | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watch-store-'));
  redis = HAS_REDIS ? await startRedis() : undefined;
});
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const engines = [
  {
    name: 'SQLite',
    isHere: true,
    damage: async (id: string) => {
      const database = new DatabaseSync(join(folder, 'watches.sqlite'));
      database.prepare(`UPDATE watches SET record = '{"id": 1' WHERE id = ?`).run(id);
      database.close();
    },
    settings: () => ({ redisUrl: undefined, dataDir: folder }),
  },
  {
    name: 'Redis (needs redis-server)',
    isHere: HAS_REDIS,
    damage: async (id: string) => void (await redis?.send(['HSET', 'capture-service:watches:records', id, '[]'])),
    settings: () => ({ redisUrl: redis?.url, dataDir: undefined }),
  },
];

describe.each(engines)('watches in $name', ({ isHere, settings, damage }) => {
  describe.runIf(isHere)('store', () => {
    let store: WatchStore;
    beforeEach(async () => {
      store ??= await openWatchStore(settings(), log);
      for (const { id } of await store.list(undefined, { limit: 100 })) await store.remove(id);
    });
    afterAll(() => store.close());

    it('keeps watches, and lists those of an owner, the newest first', async () => {
      const watches = [watchOf('1'), watchOf('2', { owner: 'team' }), watchOf('3'), watchOf('4', { owner: 'team' })];
      for (const watch of watches) expect(await store.add(watch, limitsOf(10))).toBe(true);

      expect(await store.get('2')).toEqual(watches[1]);
      expect(await store.get('5')).toBeUndefined();
      const idsOf = async (...args: Parameters<WatchStore['list']>) => (await store.list(...args)).map(({ id }) => id);
      expect(await idsOf(undefined, { limit: 3 })).toEqual(['4', '3', '2']);
      expect(await idsOf(undefined, { limit: 3, before: '2' })).toEqual(['1']);
      expect(await idsOf('team', { limit: 1 })).toEqual(['4']);
      expect(await idsOf('team', { limit: 9, before: '4' })).toEqual(['2']);
    });

    it('holds no more watches than the limit, also if they come at once', async () => {
      const added = await Promise.all(['1', '2', '3', '4', '5'].map((id) => store.add(watchOf(id), limitsOf(3))));
      expect(added.filter(Boolean)).toHaveLength(3);
      expect(await store.counts()).toEqual({ active: 3, paused: 0 });
    });

    it('leaves room for other owners', async () => {
      const most = { all: 4, own: 2 };
      const added = await Promise.all(['1', '2', '3'].map((id) => store.add(watchOf(id, { owner: 'team' }), most)));
      expect(added.filter(Boolean)).toHaveLength(2);
      expect(await store.add(watchOf('4', { owner: 'other' }), most)).toBe(true);
    });

    it('replaces a watch only if no other write came first', async () => {
      await store.add(watchOf('1'), limitsOf(10));
      const [one, other] = [await store.get('1'), await store.get('1')];
      if (one === undefined || other === undefined) throw new Error('not stored');

      expect(await store.replace({ ...one, failures: 1, nextAt: null })).toBe(true);
      expect(await store.replace({ ...other, failures: 7 })).toBe(false);
      expect(await store.replace(watchOf('2'))).toBe(false);

      expect(await store.get('1')).toMatchObject({ failures: 1, nextAt: null });
      expect(await store.counts()).toEqual({ active: 0, paused: 1 });
      await Promise.all(
        Array.from({ length: 10 }, () =>
          updateWatch(store, '1', (watch) => ({ ...watch, failures: watch.failures + 1 })),
        ),
      );
      expect((await store.get('1'))?.failures).toBe(11);
    });

    it('gives a watch that is due to one instance, until its time is up', async () => {
      for (const [id, nextAt] of [
        ['1', 3_000],
        ['2', 1_000],
        ['3', 9_000],
        ['4', null],
      ] as const)
        await store.add(watchOf(id, { nextAt }), limitsOf(10));
      const takeAt = async (nowMs: number) => (await store.takeDue(nowMs, nowMs + 500))?.id;

      expect(await Promise.all([takeAt(5_000), takeAt(5_000), takeAt(5_000)])).toEqual(
        expect.arrayContaining(['2', '1', undefined]),
      );
      expect([await takeAt(5_400), await store.take('1', 5_400, 5_900)]).toEqual([undefined, false]);
      expect(await takeAt(5_600)).toBe('2'); // its instance has not begun the run
      expect(await store.take('1', 5_600, 6_000)).toBe(true);
      await store.giveBack('2');
      expect(await takeAt(5_700)).toBe('2');
      expect(await store.take('4', 0, 500)).toBe(true); // a paused watch can be run by hand
    });

    it('takes a watch again if the clock has jumped back', async () => {
      await store.add(watchOf('1', { nextAt: 1_000 }), limitsOf(10));
      expect((await store.takeDue(7_200_000, 7_230_000))?.id).toBe('1');
      expect((await store.takeDue(3_600_000, 3_630_000))?.id).toBe('1');
    });

    it('begins by the planned time and the spread of the watch', async () => {
      await store.add(watchOf('1', { nextAt: 1_000, spreadMs: 400 }), limitsOf(10));
      expect(await store.takeDue(1_399, 1_500)).toBeUndefined();
      expect((await store.takeDue(1_400, 1_500))?.id).toBe('1');
    });

    it('keeps runs, the newest first, and replaces a run with the same id', async () => {
      for (const id of ['a', 'b', 'c']) await store.putRun(runOf('1', id));
      await store.putRun(runOf('1', 'b', { outcome: 'changed' }));

      const idsOf = async (page: Parameters<WatchStore['runs']>[1]) =>
        (await store.runs('1', page)).map(({ id }) => id);
      expect(await idsOf({ limit: 2 })).toEqual(['c', 'b']);
      expect(await idsOf({ limit: 2, before: 'b' })).toEqual(['a']);
      expect(await store.getRun('1', 'b')).toEqual(runOf('1', 'b', { outcome: 'changed' }));
      expect([await store.getRun('1', 'x'), await store.getRun('2', 'b')]).toEqual([undefined, undefined]);
      await store.dropRuns('1', ['a', 'b']);
      expect(await idsOf({ limit: 9 })).toEqual(['c']);
      await store.dropRuns('1', ['c']);
    });

    it('goes on beside a record that is damaged', async () => {
      await store.add(watchOf('1', { nextAt: 1_000 }), limitsOf(10));
      await store.add(watchOf('2', { nextAt: 2_000 }), limitsOf(10));
      await damage('1');

      expect((await store.takeDue(5_000, 6_000))?.id).toBe('2');
      expect(await store.takeDue(5_000, 6_000)).toBeUndefined();
      expect([await store.get('1'), (await store.list(undefined, { limit: 9 })).length]).toEqual([undefined, 1]);
      await store.remove('1');
    });

    it('hands out the runs of a removed watch until they are dropped', async () => {
      await store.add(watchOf('gone'), limitsOf(10));
      await store.putRun(runOf('gone', 'a'));
      await store.putRun(runOf('gone', 'b'));
      expect(await store.leftovers(9)).toBeUndefined();

      expect([await store.remove('gone'), await store.remove('gone')]).toEqual([true, false]);

      expect(await store.get('gone')).toBeUndefined();
      expect(await store.leftovers(1)).toMatchObject({ watch: 'gone', runs: [{ id: 'b' }] });
      await store.dropRuns('gone', ['a', 'b']);
      expect(await store.leftovers(9)).toBeUndefined();
      expect(await store.counts()).toEqual({ active: 0, paused: 0 });
    });
  });
});

describe('a store of watches that fails', () => {
  it('answers a StorageError with the reason', async () => {
    const store = await openWatchStore({ redisUrl: undefined, dataDir: '/dev/null/watches' }, log);
    await expect(store.get('1')).rejects.toMatchObject({
      type: 'StorageError',
      details: expect.stringContaining('DATA_DIR'),
    });
    await store.close();
  });
});
