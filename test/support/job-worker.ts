// A process that works on jobs until it is killed: `node job-worker.ts <folder> <lease in ms> <Redis URL, optional>`.
// Each capture takes a moment, and writes a line to captures.log before it returns.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { createMemoryBudget } from '../../src/core/ground/memory-budget.ts';
import { parseOptions } from '../../src/core/capture/request/parse-options.ts';
import { createJobs } from '../../src/parts/jobs/jobs.ts';
import { connectRedis } from '../../src/parts/jobs/redis/connect.ts';
import { createRedisStore } from '../../src/parts/jobs/redis/redis-job-store.ts';
import { openSqliteStore } from '../../src/parts/jobs/sqlite/open-sqlite-jobs.ts';
import { createFileStorage } from '../../src/parts/storage/file-storage.ts';
import { NO_KEYS } from './keys.ts';
import { CAPTURE_RESULT } from './stored-capture.ts';

const [folder = '', leaseMs = '', redisUrl = ''] = process.argv.slice(2);
const leases = { jobMs: Number(leaseMs), webhookMs: Number(leaseMs) };
const store =
  redisUrl === ''
    ? openSqliteStore({ folder, leases, onUnreadable: () => undefined, onDeath: () => undefined })
    : await createRedisStore({
        client: await connectRedis(redisUrl, () => undefined),
        leases,
        onError: () => undefined,
      });

const storage = createFileStorage({ folder: join(folder, 'storage'), linkTtlSeconds: 60 });
await storage.prepare(); // as the service does: removes the parts of killed processes

createJobs({
  store,
  storage: {
    ...storage,
    put: async (...file) => {
      await storage.put(...file);
      await delay(50); // the sweeps of all processes find the file before its job is done
    },
  },
  memory: createMemoryBudget(1e9),
  deliver: async ({ id }) => {
    appendFileSync(join(folder, 'webhooks.log'), `${id}\n`);
    return { kind: 'delivered' };
  },
  keys: NO_KEYS,
  capture: async ({ url }) => {
    appendFileSync(join(folder, 'captures.log'), `${url}\n`);
    await delay(20);
    return { ...CAPTURE_RESULT, file: Buffer.from(`picture of ${url}`) };
  },
  parse: async (fields) => parseOptions(fields, { maxWaitMs: 1_000 }),
  concurrency: 2,
  retentionSeconds: 1_000,
  retentionBytes: 1e9,
  metrics: { recordJob: () => undefined },
  log: pino({ level: 'silent' }),
  heartbeatMs: 500,
  delaysMs: [0],
  sweepEveryMs: 20,
}).start();
setInterval(() => undefined, 1_000); // keeps the process alive while it waits for jobs of others
