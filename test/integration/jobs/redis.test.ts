import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { capture } from '../../support/http.ts';
import { send } from '../../support/raw-http.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis.ts';
import { type RunningService, startService } from '../../support/service.ts';

const LIMIT = 10;
const LEAST_LOAD = 200;
const PASSED = 400; // the limit applies before validation, which fails: no capture runs
const AWAY = 'Redis does not answer: this instance continues without it';
const BACK = 'Redis answers again';

describe.skipIf(!HAS_REDIS)('two instances with one Redis (needs redis-server)', () => {
  let redis: TestRedis;
  let instances: readonly RunningService[];
  let client = 0;

  beforeAll(async () => {
    redis = await startRedis();
    const settings = {
      REDIS_URL: redis.url,
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_CAPTURE: `${LIMIT} per day`,
      TRUST_PROXY: '1', // lets each test be a separate client
    };
    instances = await Promise.all([startService(settings), startService(settings)]);
  });
  afterAll(async () => {
    for (const instance of instances) await instance[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    client += 1;
  });

  const sendRequest = async (instance: RunningService, address = `192.0.2.${client}`): Promise<number> => {
    const headers = { 'x-forwarded-for': address };
    return (await send(instance.url, { method: 'GET', path: '/capture', headers })).status;
  };
  /** Sends this number of requests at once to each instance, and returns how many were accepted. */
  const flood = async (count: number): Promise<number> => {
    const statuses = await Promise.all(
      instances.flatMap((instance) => Array.from({ length: count }, () => sendRequest(instance))),
    );
    expect(statuses.filter((status) => status !== PASSED && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === PASSED).length;
  };
  const untilAll = (message: string): Promise<void> =>
    eventually(() => {
      for (const instance of instances) {
        const lines = instance.logs().filter(({ msg }) => msg === message);
        expect(lines.map((line) => String(line['part'])).toSorted()).toEqual(['cache', 'limits']);
      }
    });

  it('accept exactly N of all requests', async () => {
    expect(await flood(LIMIT)).toBe(LIMIT);
    expect(await flood(LIMIT)).toBe(0);
  });

  it('share cached captures', async () => {
    const body = { html_content: '<p>shared</p>', cache_ttl: 600 };
    const [first, second] = instances;

    const [made, found] = [await capture(first?.url ?? '', body), await capture(second?.url ?? '', body)];

    expect([made, found].map(({ status }) => status)).toEqual([200, 200]);
    expect([made, found].map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT']);
    expect(found.headers.get('etag')).toBe(made.headers.get('etag'));
    expect(found.body).toEqual(made.body);
  });

  it('fail no request while Redis is killed and restarted, apply their own limits, and share again', async () => {
    const load = startLoad(instances);
    for (const instance of instances)
      expect([await sendRequest(instance), await sendRequest(instance)]).toEqual([400, 400]);

    await redis.kill();
    await untilAll(AWAY);
    // Each instance knows the two requests that it accepted itself.
    expect(await flood(2 * LIMIT)).toBe(2 * (LIMIT - 2));
    expect(await flood(LIMIT)).toBe(0);

    await redis.restart();
    await untilAll(BACK);
    expect(await flood(LIMIT)).toBe(0);
    client += 100;
    expect(await flood(LIMIT)).toBe(LIMIT);
    const answers = await load.stop();

    expect(answers.filter((status) => status !== PASSED && status !== 200)).toEqual([]);
    await untilAll(AWAY);
  });

  it('continue if Redis hangs with its connections open', async () => {
    redis.freeze();
    expect(await flood(2 * LIMIT)).toBe(2 * LIMIT);

    redis.thaw();
    client += 100;
    await eventually(async () => {
      client += 1;
      expect(await flood(LIMIT)).toBe(LIMIT);
    });
  });
});

describe.skipIf(!HAS_REDIS)('an instance whose REDIS_URL has the wrong password (needs redis-server)', () => {
  it('starts, captures, logs the reason, and shows no password', async () => {
    await using redis = await startRedis(['--requirepass', 'right']);
    const { host } = new URL(redis.url);
    await using service = await startService({
      REDIS_URL: `redis://:hidden-word@${host}`,
      RATE_LIMIT_ENABLED: 'true',
    });

    const answer = await capture(service.url, { html_content: 'x' });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('4');
    await eventually(() => {
      const warning = service.logs().find(({ msg }) => msg === AWAY);
      expect(warning?.['reason']).toContain('WRONGPASS');
    });
    expect(service.output()).not.toContain('hidden-word');
  });

  it('blocks pages from its Redis, whatever EGRESS_ALLOW contains', async () => {
    await using redis = await startRedis();
    await using service = await startService({ REDIS_URL: redis.url });

    const answer = await capture(service.url, { url: redis.url.replace('redis:', 'http:') });

    expect(answer.json()).toMatchObject({ error_type: 'DestinationNotAllowedError' });
  });
});

/**
 * Sends requests from new clients, some of them captures, to both instances until stopped, with a minimum number.
 * Returns the statuses.
 */
function startLoad(instances: readonly RunningService[]): { readonly stop: () => Promise<number[]> } {
  const statuses: number[] = [];
  const over = new AbortController();
  let sent = 0;
  const client = async ({ url }: RunningService): Promise<void> => {
    while (!over.signal.aborted || statuses.length < LEAST_LOAD) {
      sent += 1;
      const headers = {
        'x-forwarded-for': `10.${sent >> 16}.${(sent >> 8) & 255}.${sent & 255}`,
        'content-type': 'application/json',
      };
      const picture = { html_content: `picture ${sent % 7}`, cache_ttl: sent % 20 === 0 ? 60 : 0 };
      const body = sent % 10 === 0 ? JSON.stringify(picture) : '{}';
      const answer = await fetch(`${url}/capture`, { method: 'POST', headers, body }).catch(() => undefined);
      await answer?.arrayBuffer();
      statuses.push(answer?.status ?? 0);
    }
  };
  const clients = [...instances, ...instances].map(client);
  return {
    stop: async () => {
      over.abort();
      await Promise.all(clients);
      return statuses;
    },
  };
}
