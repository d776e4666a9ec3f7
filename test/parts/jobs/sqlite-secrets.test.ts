import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';
import type { JobStore } from '../../../src/parts/jobs/job-store.ts';
import { openDatabase } from '../../../src/parts/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../../src/parts/jobs/sqlite/sqlite-job-store.ts';
import { idsOf } from '../../support/stored-capture.ts';

const DAY_MS = 86_400_000;
const ERROR = { type: 'NavigationError', message: 'no' } as const;
const leases = { jobMs: 60_000, webhookMs: 60_000 };

let parent = '';
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sqlite-secrets-'));
});
afterAll(() => rm(parent, { recursive: true }));

async function openStore(folder: string, now = Date.now): Promise<JobStore> {
  return createSqliteStore({ database: await openDatabase(folder), leases, now });
}

/** Returns the names of the files that contain a text with this prefix. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const names = await readdir(folder);
  const found = await Promise.all(
    names.map(async (name) => ((await readFile(join(folder, name))).includes(text) ? name : '')),
  );
  return found.filter((name) => name !== '');
}

/**
 * Submits a job with secret cookies, headers, password and webhook address. Some values are large enough for overflow
 * pages.
 */
async function submitSecrets(store: JobStore, index: number): Promise<string> {
  const filler = 'x'.repeat(index % 7 === 0 ? 20_000 : (index * 37) % 900);
  const capture = {
    url: 'https://example.com/',
    http_auth: { username: 'u', password: `secret-password-${index}.` },
    cookies: [{ name: 'session', value: `secret-cookie-${index}.` }],
    pdf_password: `secret-reader-${index}.`,
    storage_state: {
      origins: [{ origin: 'https://example.com', localStorage: [{ name: 'token', value: `secret-state-${index}.` }] }],
    },
    custom_headers: { 'X-Key': `secret-header-${index}.${filler}` },
  };
  const job = { id: createJobId(Date.now()), capture, origin: 'http://localhost:8080' };
  const webhookUrl = `https://user:secret-login-${index}.@example.com/hook`;
  const idempotency = { key: `secret-key-${index}.`, fingerprint: 'f' };
  const [id = ''] = await idsOf(store.submit([{ ...job, webhookUrl }], idempotency));
  return id;
}

/** Ends all jobs, each third in a different way, and their webhooks. */
async function endAll(store: JobStore, ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    if (index % 3 === 0) await store.cancel(id);
    const claim = index % 3 === 0 ? undefined : await store.claim();
    if (claim !== undefined) await store.fail(claim, ERROR);
  }
  for (let hook = await store.claimWebhook(); hook !== undefined; hook = await store.claimWebhook())
    await store.endWebhook(hook);
}

describe('secrets of ended jobs in SQLite', () => {
  it('are in no file of DATA_DIR after the sweep, while secrets of queued jobs stay', async () => {
    const folder = await mkdtemp(join(parent, 'swept-'));
    let nowMs = Date.now();
    await using store = await openStore(folder, () => nowMs);
    const ids: string[] = [];
    for (let index = 0; index < 60; index++) ids.push(await submitSecrets(store, index));
    const before = await filesWith(folder, 'secret-password-');

    await endAll(store, ids);
    nowMs += DAY_MS + 1; // the idempotency keys expire
    const waiting = await submitSecrets(store, 999);
    await store.tidy();

    expect(before).not.toEqual([]);
    for (const kind of ['password', 'cookie', 'state', 'header', 'login', 'key']) {
      const found = await Promise.all(ids.map((_, index) => filesWith(folder, `secret-${kind}-${index}.`)));
      expect([kind, ...found.flat()]).toEqual([kind]);
    }
    expect((await store.claim())?.id).toBe(waiting);
  });

  it('are in no file after a crash and a restart', async () => {
    const folder = await mkdtemp(join(parent, 'killed-'));
    await using store = await openStore(folder);
    const ids = [await submitSecrets(store, 0), await submitSecrets(store, 1)];
    await endAll(store, ids);
    const left = await mkdtemp(join(parent, 'left-'));
    await cp(folder, left, { recursive: true }); // the files as a SIGKILL leaves them
    const before = await filesWith(left, 'secret-password-');

    await using restarted = await openStore(left);
    await restarted.tidy();

    expect(before).not.toEqual([]);
    expect(await filesWith(left, 'secret-password-')).toEqual([]);
    expect(await filesWith(left, 'secret-login-')).toEqual([]);
  });

  it('are deleted with the webhook of a job that was removed before delivery', async () => {
    const folder = await mkdtemp(join(parent, 'outlived-'));
    await using store = await openStore(folder);
    const id = await submitSecrets(store, 0);
    await store.cancel(id);
    await store.remove(id);
    const hook = await store.claimWebhook();

    if (hook !== undefined) await store.endWebhook(hook);
    await store.tidy();

    expect(hook?.url).toContain('secret-login-0');
    expect(await filesWith(folder, 'secret-login-')).toEqual([]);
  });
});

describe('expired idempotency keys in SQLite', () => {
  it.each([101, 10_001])('are all deleted by one sweep, also %i at once', async (count) => {
    const folder = await mkdtemp(join(parent, 'keys-'));
    let nowMs = Date.now();
    const database = await openDatabase(folder);
    await using store = createSqliteStore({ database, leases, now: () => nowMs });
    const add = database.prepare('INSERT INTO idempotency VALUES (?, ?, ?, ?)');
    database.exec('BEGIN');
    for (let index = 0; index < count; index++) add.run(`key-${index}`, 'f', '[]', nowMs + 1);
    database.exec('COMMIT');
    nowMs += 2;

    let rounds = 0;
    while (await store.tidy()) expect((rounds += 1)).toBeLessThan(10);

    expect(database.prepare('SELECT count(*) AS n FROM idempotency').get()).toEqual({ n: 0 });
  });
});
