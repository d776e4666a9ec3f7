import { createHash } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import type { Express } from 'express';
import pino from 'pino';
import { createMemoryBudget } from '../../src/core/ground/memory-budget.ts';
import type { Capture } from '../../src/core/capture/capture.ts';
import { FIELD_NAMES } from '../../src/core/capture/request/options.ts';
import { parseOptions } from '../../src/core/capture/request/parse-options.ts';
import { createJobs, type Jobs } from '../../src/parts/jobs/jobs.ts';
import { openDatabase } from '../../src/parts/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import { COMPAT_NAMES } from '../../src/parts/compat/compat-setting.ts';
import { createKeyRing } from '../../src/core/access/key-ring.ts';
import { createFileStorage } from '../../src/parts/storage/file-storage.ts';
import { createMemoryUsageStore } from '../../src/parts/usage/create-usage.ts';
import { createUsage } from '../../src/parts/usage/usage.ts';
import { openWatchStore } from '../../src/parts/watches/stores/open-watch-store.ts';
import { createWatches } from '../../src/parts/watches/watches.ts';
import type { Compare } from '../../src/parts/compare/compare.ts';
import { appWith, NO_METRICS } from './app.ts';
import { fake } from './fake.ts';
import { CAPTURE_RESULT } from './stored-capture.ts';

const WORKER_SCOPES = ['capture', 'jobs', 'usage', 'sign'];
const SCOPES = { reader: ['capture'], worker: WORKER_SCOPES, other: WORKER_SCOPES };

/**
 * A service with KEYS_FILE and everything that belongs to keys: jobs that run, stored files, usage, metrics. It needs
 * no browser.
 */
export interface KeyedApp extends AsyncDisposable {
  readonly app: Express;
  readonly jobs: Jobs;
}

/** Returns the bearer token of a key. */
export const tokenOf = (id: string): string => `token-of-${id}`;
/** Returns the signing secret of a key. That of `default` is URL_SIGNING_SECRET. */
export const secretOf = (id: string): string => `secret-of-${id}`.padEnd(32, '.');

/**
 * Starts the app with the keys `reader` (scope `capture`), `worker` and `other` (all scopes except `mcp`).
 * @param authToken the token of `default`; undefined: AUTH_TOKEN is not set
 */
export async function startKeyedApp({ authToken }: { readonly authToken: string | undefined }): Promise<KeyedApp> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'keyed-app-'));
  const log = pino({ level: 'silent' });
  const keys = createKeyRing({
    keysFile: await writeKeys(folder.path),
    authToken,
    urlSigningSecret: secretOf('default'),
    fieldNames: new Set(FIELD_NAMES),
    now: Date.now,
    log,
  });
  const storage = createFileStorage({ folder: join(folder.path, 'files'), linkTtlSeconds: 600 });
  await storage.prepare();
  const usage = createUsage(await createMemoryUsageStore(), log);
  const database = await openDatabase(folder.path);
  const jobs = createJobs({
    store: createSqliteStore({ database, leases: { jobMs: 60_000, webhookMs: 60_000 } }),
    storage,
    memory: createMemoryBudget(1e9),
    deliver: undefined,
    keys,
    capture: pictureOfKey,
    parse: async (fields) => parseOptions(fields, { maxWaitMs: 60_000 }),
    concurrency: 1,
    retentionSeconds: 3_600,
    retentionBytes: 1e9,
    metrics: { recordJob: () => undefined },
    log,
  });
  const watches = createWatches({
    store: await openWatchStore({ redisUrl: undefined, dataDir: folder.path }, log),
    storage,
    jobs,
    compare: NOTHING_DIFFERS,
    capture: pictureOfKey,
    parseFields: async (fields) => parseOptions(fields, { maxWaitMs: 60_000 }),
    memory: createMemoryBudget(1e9),
    maxPixels: 1e9,
    recordRun: () => undefined,
    now: () => Date.now() / 1_000,
    log,
  });
  jobs.serveWatches(watches.runs);
  jobs.start();
  const app = appWith({
    keys,
    capture: pictureOfKey,
    jobs,
    watches,
    usage,
    mcp: true,
    compat: [...COMPAT_NAMES],
    signedUrlAllow: ['store', 'store_path'],
    resultStorage: storage,
    checkStoredLink: storage.checkLink,
    now: () => Date.now() / 1_000,
    metrics: { ...NO_METRICS, render: async () => 'captures_total{key="worker"} 1\n' },
  });
  return {
    app,
    jobs,
    [Symbol.asyncDispose]: async () => {
      keys.close();
      await jobs.stop();
      await jobs.close();
      await watches.store.close();
      await usage.close();
      await storage[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}

/** Captures nothing: the body names the key. Takes as long as `delay_capture`. */
const pictureOfKey: Capture = async ({ delay_capture: ms }, { key }) => {
  if (ms > 0) await delay(ms);
  return { ...CAPTURE_RESULT, file: Buffer.from(`picture of ${key?.id}`) };
};

const SIZE = { width: 1, height: 1 };
const NOTHING_DIFFERS = fake<Compare>({
  pictures: async () => ({ pixels: 0, before: SIZE, after: SIZE, regions: [], isTruncated: false, unmatched: [] }),
});

async function writeKeys(folder: string): Promise<string> {
  const keys = Object.entries(SCOPES).map(([id, scopes]) => ({
    id,
    token_sha256: [createHash('sha256').update(tokenOf(id)).digest('hex')],
    signing_secrets: [secretOf(id)],
    scopes,
  }));
  const file = join(folder, 'keys.json');
  await writeFile(file, JSON.stringify({ keys }));
  return file;
}
