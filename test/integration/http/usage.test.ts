import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { HAS_REDIS, startRedis } from '../../support/redis.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { findViolations } from '../../support/violations.ts';
import { openBrowser, openPage } from '../../support/visitor-browser.ts';

const CLIENTS = 64;
const LIMIT = 10;
const PAGE = '<p style="font: 20px sans-serif">a page</p>';
const DEFAULT_TOKEN = 'token-of-the-operator';

interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: { readonly [field: string]: unknown };
}

interface UsageBody {
  readonly days: readonly { readonly captures: number; readonly failed: number }[];
  readonly quota: { readonly used: number };
}

let folder: string;
let keysFile: string;
let dataDir: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-test-'));
  keysFile = join(folder, 'keys.json');
  dataDir = join(folder, 'data');
  const quota = { captures: LIMIT, per: 'month' };
  const keys = ['shop', 'gone', 'killed', 'cached', 'page', 'again', 'logged'].map((id) => ({
    id,
    token_sha256: [sha256(`token-of-${id}`)],
    scopes: ['capture', 'usage', 'jobs'],
    quota,
  }));
  await writeFile(keysFile, JSON.stringify({ keys }));
});
afterAll(() => rm(folder, { recursive: true }));

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  KEYS_FILE: keysFile,
  AUTH_TOKEN: DEFAULT_TOKEN,
  MAX_QUEUE: '256', // one client may have half of it
  ...more,
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function call(
  { url }: Pick<RunningService, 'url'>,
  path: string,
  key: string,
  {
    body,
    signal,
    headers,
  }: {
    readonly body?: object;
    readonly signal?: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    headers: { Authorization: `Bearer token-of-${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const bytes = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    body: isJson ? JSON.parse(bytes) : {},
  };
}

const capture = (service: Pick<RunningService, 'url'>, key: string, more: object = {}): Promise<Answer> =>
  call(service, '/capture', key, { body: { html_content: PAGE, run_ahead: 0, ...more } });

async function usageOf(service: Pick<RunningService, 'url'>, key: string): Promise<UsageBody> {
  const response = await fetch(`${service.url}/usage`, {
    headers: { Authorization: `Bearer token-of-${key}` },
  });
  const usage: UsageBody = JSON.parse(await response.text());
  return usage;
}

/** Sends captures of all clients at once, by turns to each instance. Returns the statuses. */
async function flood(instances: readonly RunningService[], key: string): Promise<number[]> {
  const answers = Array.from({ length: CLIENTS }, async (_, client) => {
    const instance = instances[client % instances.length];
    if (instance === undefined) throw new Error('there is no instance');
    return (await capture(instance, key)).status;
  });
  return await Promise.all(answers);
}

const successes = (statuses: readonly number[]): number => statuses.filter((status) => status === 200).length;

describe('the quota of a key', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(settings({ DATA_DIR: dataDir }));
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it(`lets exactly ${LIMIT} of ${CLIENTS} captures through, and refuses a batch that is too large`, async () => {
    const statuses = await flood([service], 'shop');

    expect(successes(statuses)).toBe(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(CLIENTS - LIMIT);
    const refused = await capture(service, 'shop');
    expect(refused.body).toMatchObject({ error_type: 'QuotaExceededError' });
    expect(refused.header('x-quota-remaining')).toBe('0');
    expect(await usageOf(service, 'shop')).toMatchObject({ days: [{ captures: LIMIT, failed: 0 }] });
    const job = await call(service, '/jobs', 'shop', { body: { capture: { html_content: PAGE } } });
    expect([job.status, job.body['error_type']]).toEqual([429, 'QuotaExceededError']);
  });

  it('lets a repeated request find its job, although nothing is left', async () => {
    const submission = { body: { capture: { html_content: PAGE } }, headers: { 'Idempotency-Key': 'once' } };
    const first = await call(service, '/jobs', 'again', submission);
    await flood([service], 'again');
    const used = await call(service, '/jobs', 'again', { body: submission.body });

    const repeated = await call(service, '/jobs', 'again', submission);

    expect([first.status, used.status, repeated.status]).toEqual([202, 429, 202]);
    expect(repeated.body['id']).toBe(first.body['id']);
  });

  it('does not count captures whose client has left, and errors', async () => {
    const client = new AbortController();
    const slow = call(service, '/capture', 'gone', {
      body: { html_content: PAGE, delay_capture: 20_000 },
      signal: client.signal,
    });
    await eventually(async () =>
      expect((await call(service, '/usage', 'gone')).header('x-quota-remaining')).toBe(`${LIMIT - 1}`),
    );
    client.abort();
    await expect(slow).rejects.toThrow(/abort/);
    expect((await capture(service, 'gone', { selector: '#missing' })).status).toBe(400);

    await eventually(async () =>
      expect((await call(service, '/usage', 'gone')).header('x-quota-remaining')).toBe(`${LIMIT}`),
    );
    expect((await usageOf(service, 'gone')).quota.used).toBe(0);
  });

  it('does not count answers from the cache', async () => {
    for (let requests = 0; requests < LIMIT + 2; requests += 1)
      expect((await capture(service, 'cached', { cache_ttl: 600 })).status).toBe(200);

    expect((await usageOf(service, 'cached')).quota.used).toBe(1);
  });

  it('is shown on the page of usage, where the default key can choose a key', async () => {
    await using opened = new AsyncDisposableStack();
    const browser = await openBrowser();
    opened.defer(() => browser.close());
    expect((await capture(service, 'page')).status).toBe(200);
    const { page, complaints } = await openPage(browser, service.url);
    await page.goto(`${service.url}/usage`);

    await page.waitForSelector('#token-dialog[open]');
    await page.type('#token', DEFAULT_TOKEN);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#key-form:not([hidden])');
    expect(await page.$eval('#usage', (usage) => usage.textContent)).toContain('This key has no quota.');
    await page.type('#key', 'page');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#usage progress');

    expect(await page.$eval('.quota', (quota) => quota.textContent)).toContain(`1 of ${LIMIT} captures used`);
    expect(await page.$eval('.chart rect.captures', ({ height }) => height.baseVal.value)).toBeGreaterThan(0);
    expect(await page.$eval('.days tbody tr', (row) => row.textContent)).toMatch(/^2\d{3}-\d\d-\d\d100/);
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is logged with the key', async () => {
    expect((await capture(service, 'logged')).status).toBe(200);

    await eventually(() =>
      expect(service.logs()).toContainEqual(expect.objectContaining({ msg: 'request', key: 'logged' })),
    );
  });

  it('survives a killed service', async () => {
    for (let made = 0; made < 3; made += 1) expect((await capture(service, 'killed')).status).toBe(200);
    await service.stop('SIGKILL');

    await using second = await startService(settings({ DATA_DIR: dataDir }));

    expect(await usageOf(second, 'killed')).toMatchObject({ days: [{ captures: 3 }], quota: { used: 3 } });
    expect((await capture(second, 'killed')).header('x-quota-remaining')).toBe(`${LIMIT - 4}`);
  });
});

describe.skipIf(!HAS_REDIS)('two instances with one Redis (needs redis-server)', () => {
  it(`let exactly ${LIMIT} of ${CLIENTS} captures through, and count alone while Redis is away`, async () => {
    await using redis = await startRedis();
    const shared = settings({ REDIS_URL: redis.url });
    const starting = [startService(shared), startService(shared)] as const;
    await using one = await starting[0];
    await using other = await starting[1];

    expect(successes(await flood([one, other], 'shop'))).toBe(LIMIT);
    for (const instance of [one, other]) expect((await usageOf(instance, 'shop')).quota.used).toBe(LIMIT);

    await redis.kill();
    expect(successes(await flood([one], 'killed'))).toBe(LIMIT);
    const away = one.logs().filter(({ msg }) => msg.startsWith('the store of usage and quotas fails'));
    expect(away).toHaveLength(1);
    await redis.restart();
    await eventually(async () => expect((await usageOf(other, 'killed')).quota.used).toBe(LIMIT));
  });
});
