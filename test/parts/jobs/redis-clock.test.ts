import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { connectRedis } from '../../../src/parts/jobs/redis/connect.ts';
import { createRedisStore } from '../../../src/parts/jobs/redis/redis-job-store.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { idsOf } from '../../support/stored-capture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ERROR = { type: 'NavigationError', message: 'no' } as const;

describe.skipIf(!HAS_REDIS)('jobs in Redis while the clock of the service jumps (needs redis-server)', () => {
  let redis: TestRedis;
  let store: JobStore;
  let jumpMs = 0;
  const now = (): number => Date.now() + jumpMs;
  beforeEach(async () => {
    jumpMs = 0;
    redis = await startRedis();
    const client = await connectRedis(redis.url, () => undefined);
    const leases = { jobMs: 60_000, webhookMs: 60_000 };
    store = await createRedisStore({ client, leases, now, onError: () => undefined });
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });
  const submit = async () => {
    const [capture, origin] = [{ url: 'https://example.com/' }, 'http://localhost:8080'];
    const webhookUrl = 'https://user:hidden-word@example.com/hook';
    const [id = ''] = await idsOf(store.submit([{ id: createJobId(Date.now()), capture, origin, webhookUrl }]));
    const claim = await store.claim();
    if (claim === undefined) throw new Error('there is no job to claim');
    return { id, claim };
  };

  it('keeps ended jobs for their retention, and sends webhooks for a day, after a jump forward', async () => {
    const { id, claim } = await submit();
    await store.fail(claim, ERROR);
    const sweepable = () => store.findSweepable({ before: now() - HOUR_MS, maxBytes: 1, limit: 10 });

    jumpMs = DAY_MS;
    expect((await sweepable()).old).toEqual([]);
    const webhook = await store.claimWebhook();
    expect(webhook).toMatchObject({ id });
    expect(webhook?.ageMs).toBeLessThan(HOUR_MS);
  });

  it('keeps ended jobs after a jump backward, and finds them later', async () => {
    const { claim } = await submit();
    await store.fail(claim, ERROR);

    jumpMs = -DAY_MS;
    const before = (ms: number) => store.findSweepable({ before: ms, maxBytes: 1, limit: 10 });
    expect((await before(now() - HOUR_MS)).old).toEqual([]);
    expect((await before(now() + 2 * DAY_MS)).old).toHaveLength(1);
  });

  it('retries jobs and webhooks that were delayed while the clock was two days ahead', async () => {
    const { id, claim } = await submit();
    jumpMs = 2 * DAY_MS;
    await store.retry(claim, ERROR, 5_000);
    jumpMs = 0;
    expect(await store.claim()).toBeUndefined();
    await store.tidy();
    const again = await store.claim();
    expect(again).toMatchObject({ id, attempts: 2 });

    if (again) await store.fail(again, ERROR);
    jumpMs = 2 * DAY_MS;
    const webhook = await store.claimWebhook();
    if (webhook) await store.retryWebhook(webhook, 5_000);
    jumpMs = 0;
    expect(await store.claimWebhook()).toBeUndefined();
    await store.tidy();
    expect(await store.claimWebhook()).toMatchObject({ id, attempts: 2 });
  });

  it('keeps no address of a webhook after it was sent: it may hold a password', async () => {
    const { id, claim } = await submit();
    await store.fail(claim, ERROR);
    const webhook = await store.claimWebhook();
    if (webhook) await store.endWebhook(webhook);

    const keys = [await redis.send(['KEYS', '*'])].flat().map(String);
    const hashes = keys.filter((key) => key.endsWith(id));
    const stored = await Promise.all(hashes.map((key) => redis.send(['HGETALL', key])));
    expect(stored).not.toEqual([]);
    expect(JSON.stringify(stored)).not.toContain('hidden-word');
  });
});
