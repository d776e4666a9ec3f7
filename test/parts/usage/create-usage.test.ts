import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { createUsageOf } from '../../../src/parts/usage/create-usage.ts';
import { dayOf } from '../../../src/parts/usage/usage-days.ts';
import { eventually } from '../../support/eventually.ts';
import { keyWith } from '../../support/key.ts';
import { HAS_REDIS, startRedis } from '../../support/redis.ts';

const WORKER = join(import.meta.dirname, '../../support/usage-worker.ts');
const KEY = keyWith({ quota: { captures: 1_000_000, per: 'month' } });
const engines = ['SQLite', 'Redis'] as const;

it('is in memory without DATA_DIR and REDIS_URL, which is logged once', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });

  const usage = await createUsageOf({ keysFile: 'keys.json', dataDir: undefined, redisUrl: undefined, log });
  await usage?.close();

  expect(lines.filter((line) => line.includes('usage and quotas are in memory'))).toHaveLength(1);
});

for (const engine of engines) {
  describe.skipIf(engine === 'Redis' && !HAS_REDIS)(`usage in ${engine} (Redis needs redis-server)`, () => {
    it('loses no counted capture when its process is killed', async () => {
      await using opened = new AsyncDisposableStack();
      const folder = await mkdtemp(join(tmpdir(), 'usage-killed-'));
      opened.defer(() => rm(folder, { recursive: true }));
      const redisUrl = engine === 'Redis' ? opened.use(await startRedis()).url : undefined;
      const counted = (): number => {
        const path = join(folder, 'counted.log');
        return existsSync(path) ? readFileSync(path, 'utf8').length / 'counted\n'.length : 0;
      };

      for (let kill = 0; kill < 2; kill += 1) {
        const before = counted();
        const worker = spawn(process.execPath, [WORKER, folder, ...(redisUrl === undefined ? [] : [redisUrl])], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        opened.defer(() => void worker.kill('SIGKILL'));
        await eventually(() => expect(counted()).toBeGreaterThan(before + 20));
        worker.kill('SIGKILL');
        await once(worker, 'exit');
      }

      const log = pino({ level: 'silent' });
      const usage = await createUsageOf({ keysFile: 'keys.json', dataDir: folder, redisUrl, log });
      opened.defer(async () => usage?.close());
      const quota = await usage?.currentQuota(KEY);
      const [day] = (await usage?.read(KEY.id, dayOf(Date.now() - 86_400_000), dayOf(Date.now()))) ?? [];
      expect(day?.captures).toBe(quota?.used);
      // Each process may be killed between the count and its line.
      expect((quota?.used ?? 0) - counted()).toBeGreaterThanOrEqual(0);
      expect((quota?.used ?? 0) - counted()).toBeLessThanOrEqual(2);
      // The reservations of the killed processes, which expire. Each had one more for its capture.
      expect(1_000_000 - (quota?.used ?? 0) - (quota?.remaining ?? 0)).toBeLessThanOrEqual(4);
    }, 120_000);
  });
}
