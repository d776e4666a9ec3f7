import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { HAS_REDIS, startRedis } from '../../support/redis.ts';
import { type RunningService, startService } from '../../support/service.ts';

const SMALL = { window_width: 200, window_height: 100 };
const AWAY_MS = 8_000;

/** A run of the API. */
interface Run {
  readonly id: string;
  readonly outcome: string;
  readonly started_at: string;
}

async function send(service: RunningService, method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

async function runsOf(service: RunningService, id: string): Promise<readonly Run[]> {
  const answer = await send(service, 'GET', `/watches/${id}/runs`);
  const { runs }: { runs: readonly Run[] } = JSON.parse(await answer.text());
  return runs;
}

describe('watches through an outage', () => {
  let folder: string;
  let site: FixtureSite;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'watch-outages-'));
    const document = toDocument({ body: '<p>Steady</p>' });
    site = await createFixtureSite({
      moreRoutes: {
        '/slow': async ({ response }) => {
          await delay(1_500);
          sendHtml(response, document);
        },
        '/steady': ({ response }) => sendHtml(response, document),
      },
    });
  });
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true });
  });

  const add = async (service: RunningService, path: string, schedule: string): Promise<string> => {
    const answer = await send(service, 'POST', '/watches', { capture: { url: site.url(path), ...SMALL }, schedule });
    const { id }: { id: string } = JSON.parse(await answer.text());
    return id;
  };

  it('survive `kill -9` in the middle of a run, which is then made once', async () => {
    const settings = { DATA_DIR: join(folder, 'killed'), WATCH_MIN_INTERVAL: '1000', RATE_LIMIT_ENABLED: 'false' };
    await using first = await startService(settings);
    const id = await add(first, '/slow', 'every 300 days');
    await eventually(() => expect(site.requests.filter(({ path }) => path === '/slow')).toHaveLength(1));
    await first.stop('SIGKILL');

    await using second = await startService(settings);
    // The lease of the killed process must end before the job is made again.
    await expect
      .poll(async () => (await runsOf(second, id)).map(({ outcome }) => outcome), { timeout: 100_000, interval: 500 })
      .toEqual(['first']);
    expect((await send(second, 'POST', `/watches/${id}/run`)).status).toBe(202);
    await eventually(async () => {
      expect((await runsOf(second, id)).map(({ outcome }) => outcome)).toEqual(['same', 'first']);
    });
  }, 150_000);

  it('make a run that was missed while the service was down once', async () => {
    const settings = { DATA_DIR: join(folder, 'down'), WATCH_MIN_INTERVAL: '1000', RATE_LIMIT_ENABLED: 'false' };
    await using first = await startService(settings);
    const id = await add(first, '/steady', 'every 2 seconds');
    await eventually(async () => expect((await runsOf(first, id)).length).toBeGreaterThan(0));
    await first.stop();
    await delay(AWAY_MS);

    await using second = await startService(settings);
    const startedAt = Date.now();
    await eventually(async () => {
      const late = (await runsOf(second, id)).filter((run) => Date.parse(run.started_at) > startedAt - 2_000);
      expect(late.length).toBeGreaterThan(0);
    });
    const runs = (await runsOf(second, id)).filter((run) => Date.parse(run.started_at) > startedAt - 2_000);
    expect(runs.length).toBeLessThanOrEqual(2); // and not four, one for each time that it was missed
  }, 60_000);

  it.runIf(HAS_REDIS)(
    'go on when Redis was away (needs redis-server)',
    async () => {
      await using redis = await startRedis();
      await using service = await startService({
        REDIS_URL: redis.url,
        STORAGE: `file:${join(folder, 'stored')}`,
        WATCH_MIN_INTERVAL: '1000',
        RATE_LIMIT_ENABLED: 'false',
      });
      const id = await add(service, '/steady', 'every 1 second');
      await eventually(async () => expect((await runsOf(service, id)).length).toBeGreaterThan(1));

      redis.freeze();
      await delay(AWAY_MS);
      expect((await send(service, 'GET', `/watches/${id}`)).status).toBe(502);
      redis.thaw();

      const known = await eventually(async () => {
        const runs = await runsOf(service, id);
        expect(runs.length).toBeGreaterThan(0);
        return runs.length;
      });
      await eventually(async () => expect((await runsOf(service, id)).length).toBeGreaterThan(known + 1));
      const outcomes = new Set((await runsOf(service, id)).map(({ outcome }) => outcome));
      expect([...outcomes].filter((outcome) => !['first', 'same', 'skipped'].includes(outcome))).toEqual([]);
    },
    90_000,
  );
});
