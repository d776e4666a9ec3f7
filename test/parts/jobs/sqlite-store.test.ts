import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { NewJob } from '../../../src/parts/jobs/job.ts';
import { openDatabase } from '../../../src/parts/jobs/sqlite/open-database.ts';
import { STATEMENTS } from '../../../src/parts/jobs/sqlite/schema.ts';
import { createSqliteStore } from '../../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import { idsOf } from '../../support/stored-capture.ts';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

describe('jobs in SQLite', () => {
  it('belong to default if an earlier version has stored them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-store-'));
    const leases = { jobMs: MINUTE_MS, webhookMs: MINUTE_MS };
    const earlier = await openDatabase(folder);
    await createSqliteStore({ database: earlier, leases }).submit([job(), job()]);
    earlier.exec(`DROP INDEX jobs_by_owner; DROP INDEX jobs_in_turn; DROP INDEX webhooks_in_turn;
      ALTER TABLE jobs DROP COLUMN owner; ALTER TABLE jobs DROP COLUMN capture_bytes;
      ALTER TABLE webhooks DROP COLUMN owner`);
    earlier.close();

    const databases = await Promise.all([openDatabase(folder), openDatabase(folder)]);
    const [store, other] = databases.map((database) => createSqliteStore({ database, leases }));
    const [id = ''] = (await idsOf(store?.submit([{ ...job(), owner: 'shop' }]))) ?? [];

    expect((await store?.claim())?.owner).toBe('default');
    expect((await other?.list('queued', { limit: 9 }))?.jobs.map(({ owner }) => owner)).toEqual(['shop', 'default']);
    expect((await other?.list('queued', { limit: 9, owner: 'shop' }))?.jobs).toMatchObject([{ id }]);
    for (const database of databases) database.close();
    await rm(folder, { recursive: true });
  });

  // A key with few jobs would read all jobs of another key.
  it('are found by the index of their owner, which has no jobs of default', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-store-'));
    const database = await openDatabase(folder);
    await using store = createSqliteStore({ database, leases: { jobMs: MINUTE_MS, webhookMs: MINUTE_MS } });
    await store.submit([job(), { ...job(), owner: 'shop' }]);

    const plan = database.prepare(`EXPLAIN QUERY PLAN ${STATEMENTS.listOwned}`).all('shop', 'queued', 9, 9);
    database.exec('ANALYZE');
    const indexed = database.prepare(`SELECT stat FROM sqlite_stat1 WHERE idx = 'jobs_by_owner'`).get();

    expect(plan.map(({ detail }) => detail)).toContain(
      'SEARCH jobs USING INDEX jobs_by_owner (owner=? AND state=? AND id<?)',
    );
    expect(indexed?.['stat']).toMatch(/^1 /);
    await rm(folder, { recursive: true });
  });

  it('wait a minute, not two days, when the clock is set back two days', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-store-'));
    let nowMs = 100 * DAY_MS;
    await using store = createSqliteStore({
      database: await openDatabase(folder),
      leases: { jobMs: MINUTE_MS, webhookMs: MINUTE_MS },
      now: () => nowMs,
    });
    const [held = '', failed, first, second] = await idsOf(store.submit([job(), job(), job(), job()]));
    await store.claim();
    const claim = await store.claim();
    if (claim) await store.fail(claim, { type: 'NavigationError', message: 'no' });

    nowMs -= 2 * DAY_MS;
    await store.tidy();

    expect(await store.claimWebhook()).toMatchObject({ id: failed });
    expect(await store.claim()).toBeUndefined(); // the first job may still be held by its worker
    nowMs += MINUTE_MS;
    const claimed = [await store.claim(), await store.claim(), await store.claim()];
    expect(claimed.map((each) => each?.id)).toEqual([held, first, second]);
    await rm(folder, { recursive: true });
  });

  it('keep their retry delays while the clock runs normally', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-store-'));
    let nowMs = 100 * DAY_MS;
    await using store = createSqliteStore({
      database: await openDatabase(folder),
      leases: { jobMs: MINUTE_MS, webhookMs: MINUTE_MS },
      now: () => nowMs,
    });
    await store.submit([job()]);
    const claim = await store.claim();
    if (claim) await store.retry(claim, { type: 'NavigationError', message: 'no' }, MINUTE_MS / 2);

    await store.tidy();

    expect(await store.claim()).toBeUndefined();
    nowMs += MINUTE_MS / 2;
    const again = await store.claim();
    if (again) await store.fail(again, { type: 'NavigationError', message: 'no' });
    const webhook = await store.claimWebhook();
    if (webhook) await store.retryWebhook(webhook, 10 * HOUR_MS);
    await store.tidy();
    expect(await store.claimWebhook()).toBeUndefined();
    await rm(folder, { recursive: true });
  });
});

function job(): NewJob {
  return {
    id: createJobId(Date.now()),
    capture: { url: 'https://example.com/' },
    webhookUrl: 'https://example.com/hook',
    origin: 'http://localhost:8080',
  };
}
