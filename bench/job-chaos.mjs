// npm run bench -- job-chaos [sqlite|redis] [jobs] [seconds between kills]
// Runs jobs over two kinds of pages while the service is killed again and again. Every job must be done, with a result and a
// webhook, and few jobs may be captured twice. Touches only processes that it has started.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startRedis } from './job-redis.mjs';
import { startService } from './service.mjs';
import { createBenchSite } from './site.mjs';

const [engine = 'sqlite', count = '1000', seconds = '20'] = process.argv.slice(2);
const [JOBS, KILL_MS] = [Number(count), Number(seconds) * 1_000];
const LIMIT_MS = 1_800_000;
const BATCH = 100;
const LOOK_MS = 2_000;
const AT_ONCE = 8;
const MOST_TWICE = 0.03;
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

const folder = await mkdtemp(join(tmpdir(), 'job-chaos-'));
const pages = await createBenchSite();
const site = await createCountingSite(pages);
const redis = engine === 'redis' ? await startRedis(folder) : undefined;
const settings = {
  DATA_DIR: join(folder, 'data'),
  WEBHOOK_SECRET: SECRET,
  ...(redis && { REDIS_URL: redis.url }),
};
const startedAt = performance.now();
let service = await startService({ settings });
let kills = 0;
try {
  const ids = await submitAll();
  console.log(`${ids.length} jobs taken in ${secondsSince(startedAt)}; a kill every ${KILL_MS / 1_000} s`);
  await killUntilDone(ids);
  await judge(ids);
} finally {
  await service.close();
  await site.close();
  await pages.close();
  redis?.child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}

async function submitAll() {
  const ids = [];
  for (let from = 0; from < JOBS; from += BATCH) {
    const captures = Array.from({ length: Math.min(BATCH, JOBS - from) }, (_, index) => ({
      url: `${site.origin}/${from + index}`,
    }));
    const { jobs } = await call('/jobs/batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `batch-${from}` },
      body: JSON.stringify({ captures, webhook_url: `${site.origin}/hook` }),
    });
    ids.push(...jobs.map(({ id }) => id));
  }
  return ids;
}

async function killUntilDone(ids) {
  let open = [...ids];
  let killedAt = performance.now();
  while (open.length > 0 && performance.now() - startedAt < LIMIT_MS) {
    if (performance.now() - killedAt >= KILL_MS) {
      process.kill(service.pid, 'SIGKILL');
      kills++;
      await service.close();
      service = await startService({ settings });
      killedAt = performance.now();
    }
    await delay(LOOK_MS);
    // Oldest first: after the first unfinished job, few finished ones follow.
    const looked = open.slice(0, BATCH);
    const states = await inTurn(looked, async (id) => (await call(`/jobs/${id}`)).state);
    const ended = new Set(
      looked.filter((_, index) => states[index] === 'done' || states[index] === 'failed'),
    );
    open = open.filter((id) => !ended.has(id));
    process.stdout.write(`\r${secondsSince(startedAt)}: at most ${open.length} left, ${kills} kills   `);
  }
  console.log();
}

async function judge(ids) {
  const jobs = await inTurn(ids, (id) => call(`/jobs/${id}`));
  const results = await inTurn(ids, async (id) => {
    const response = await fetch(new URL(`/jobs/${id}/result`, service.url));
    const bytes = Buffer.from(await response.arrayBuffer());
    return response.status === 200 && bytes.toString('latin1', 1, 4) === 'PNG';
  });
  for (let left = 30; left > 0 && site.told.size < ids.length; left--) await delay(LOOK_MS);
  const done = jobs.filter(({ state }) => state === 'done').length;
  const empty = jobs.filter(({ state }, index) => state === 'done' && !results[index]).length;
  const twice = [...site.loads.values()].filter((loads) => loads > 1).length;
  const told = ids.filter((id) => site.told.has(id)).length;
  console.log(
    `${engine}: ${ids.length} jobs, ${kills} kills, ${secondsSince(startedAt)}: ${done} done, ${empty} of them without a result, ` +
      `${twice} captured more than once (${((100 * twice) / ids.length).toFixed(1)} %), ${told} webhooks with a valid signature, ${site.refused()} with an invalid one`,
  );
  const isGood =
    done === ids.length && empty === 0 && told === ids.length && twice <= MOST_TWICE * ids.length;
  if (!isGood) process.exitCode = 1;
}

/** Each page has a separate address, so its loads can be counted. Every second page has nine photographs. */
async function createCountingSite({ url }) {
  const [plain, photographs] = await Promise.all(
    ['/plain', '/photographs'].map(async (path) => (await fetch(url(path))).text()),
  );
  const [loads, told] = [new Map(), new Set()];
  const webhook = new Webhook(SECRET);
  let bad = 0;
  const answer = async (request, response) => {
    const path = (request.url ?? '').slice(1);
    if (path === 'hook') {
      try {
        told.add(webhook.verify(await text(request), request.headers).id);
      } catch {
        bad++;
      }
      response.writeHead(204).end();
    } else if (/^\d+$/.test(path)) {
      loads.set(path, (loads.get(path) ?? 0) + 1);
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(Number(path) % 2 === 0 ? plain : photographs);
    } else {
      response.writeHead(302, { location: url(`/${path}`) }).end();
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return { origin: `http://127.0.0.1:${server.address().port}`, loads, told, refused: () => bad, close };
}

/** Repeats the request while the service is down. */
async function call(path, init) {
  for (let left = 50; ; left--) {
    try {
      const response = await fetch(new URL(path, service.url), init);
      const body = await response.json();
      if (response.ok) return body;
      throw new Error(`${response.status}: ${JSON.stringify(body)}`);
    } catch (error) {
      if (left === 0) throw error;
    }
    await delay(200);
  }
}

async function inTurn(items, work) {
  const results = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

function secondsSince(ms) {
  return `${((performance.now() - ms) / 1_000).toFixed(0)} s`;
}
