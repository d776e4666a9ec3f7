// Submits jobs while their Redis is killed and started again. Each accepted job must be done, with one webhook; no
// refused job may be captured; no key may be left without a job. The latency of /health/live is compared with that of a
// bare HTTP server. `npm run bench -- redis-chaos [restarts] [seconds between] [jobs a second]`. Ends only processes
// that it has started.
import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startRedis } from './job-redis.mjs';
import { startService } from './service.mjs';
import { quantile } from './statistics.mjs';

const [restarts = '10', seconds = '5', perSecond = '4'] = process.argv.slice(2);
const LIVE_LIMIT_MS = 50;
const PROBE_MS = 50;
const DRAIN_LIMIT_MS = 240_000;
/** Two sweeps remove unconfirmed jobs. */
const SWEEP_MS = 64_000;
/** Lease of a webhook whose claim was lost, and two checks for expired leases. */
const WEBHOOK_LIMIT_MS = 260_000;
const BARE_SERVER = `
  const server = require('node:http').createServer((_, response) => response.end('ok'));
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.once('disconnect', () => process.exit());`;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;

const folder = await mkdtemp(join(tmpdir(), 'redis-chaos-'));
const redis = await startRedis(folder, ['--appendfsync', 'always']);
const site = await createCountingSite();
const service = await startService({
  settings: {
    DATA_DIR: join(folder, 'data'),
    REDIS_URL: redis.url,
    WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  },
});
const control = spawn(process.execPath, ['-e', BARE_SERVER], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
const [controlPort] = await once(control, 'message');
const accepted = new Map();
const refused = [];
const [live, bare, lags, unexpected] = [[], [], [], []];
const sending = new Set();
let child = redis.child;
try {
  const over = new AbortController();
  const probing = [
    probe(new URL('/health/live', service.url), live, over.signal),
    probe(`http://127.0.0.1:${controlPort}`, bare, over.signal),
    readLags(over.signal),
  ];
  const submitting = submitUntil(over.signal);
  for (let restart = 0; restart < Number(restarts); restart++) {
    await delay(Number(seconds) * 1_000);
    await end(child, restart % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    child = await redis.start();
  }
  over.abort();
  await Promise.all([submitting, ...sending]);
  const left = await drain();
  const waited = await untilWebhooksSent();
  await delay(SWEEP_MS);
  await Promise.all(probing);
  console.log(`the last webhook arrived ${(waited / 1_000).toFixed(0)} s after the last job`);
  await judge(left);
} finally {
  await service.close();
  await site.close();
  control.disconnect();
  await end(child, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
}

async function end(process, signal) {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exited = once(process, 'exit');
  process.kill(signal);
  await exited;
}

async function submitUntil(signal) {
  for (let number = 0; !signal.aborted; number++) {
    const sent = submit(number).finally(() => sending.delete(sent));
    sending.add(sent);
    await delay(1_000 / Number(perSecond));
  }
}

/** Every second submission has a key, and is sent again with it until it is accepted. */
async function submit(number) {
  const key = number % 2 === 0 ? randomUUID() : undefined;
  const body = JSON.stringify({
    capture: { url: `${site.origin}/${number}`, custom_headers: { 'x-key': 'hidden' } },
    ...(number % 3 === 0 && { webhook_url: `${site.origin}/hook` }),
  });
  for (let left = 60; left > 0; left--) {
    const response = await fetch(new URL('/jobs', service.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
      body,
    });
    const answer = await response.json();
    if (response.status === 202) {
      accepted.set(String(number), { id: answer.id, hasWebhook: number % 3 === 0 });
      return;
    }
    if (response.status !== 502) unexpected.push(JSON.stringify(answer));
    if (key === undefined) break;
    await delay(500);
  }
  refused.push(String(number));
}

async function probe(url, times, signal) {
  while (!signal.aborted) {
    const startedAt = performance.now();
    await (await fetch(url)).text();
    times.push(performance.now() - startedAt);
    await delay(PROBE_MS);
  }
}

/** Reads the delay of the service's event loop; each reading begins a new measurement. */
async function readLags(signal) {
  while (!signal.aborted) {
    const metrics = await (await fetch(new URL('/metrics', service.url))).text();
    lags.push(1_000 * Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1]));
    await delay(1_000);
  }
}

/** Waits until all webhooks of accepted jobs have arrived. Returns the milliseconds. */
async function untilWebhooksSent() {
  const startedAt = performance.now();
  while (countMissing() > 0 && performance.now() - startedAt < WEBHOOK_LIMIT_MS) await delay(500);
  return performance.now() - startedAt;
}

function countMissing() {
  return [...accepted.values()].filter(({ id, hasWebhook }) => hasWebhook && !site.hooks.has(id)).length;
}

/** Waits until all accepted jobs have ended; returns those that have not. */
async function drain() {
  let open = [...accepted.values()];
  for (const endsAt = performance.now() + DRAIN_LIMIT_MS; open.length > 0 && performance.now() < endsAt;) {
    await delay(1_000);
    const states = await Promise.all(open.map(stateOf));
    open = open.filter((_, index) => states[index] === 'queued' || states[index] === 'running');
  }
  return open;
}

async function stateOf({ id }) {
  const response = await fetch(new URL(`/jobs/${id}`, service.url));
  return response.status === 404 ? 'lost' : (await response.json()).state;
}

async function judge(open) {
  const jobs = [...accepted];
  const states = await Promise.all(jobs.map(([, job]) => stateOf(job)));
  const count = (expected) => states.filter((state) => state === expected).length;
  const twice = jobs.filter(([number]) => (site.loads.get(number) ?? 0) > 1).length;
  const dishonest = refused.filter((number) => site.loads.has(number)).length;
  const webhooks = jobs.filter(([, { hasWebhook }]) => hasWebhook);
  const missing = countMissing();
  const keys = await redisCli('KEYS', '*');
  const ids = new Set(jobs.map(([, { id }]) => id));
  const orphans = keys.filter((key) => ID.test(key) && !ids.has(ID.exec(key)?.[0]));
  const hashes = ['captures', 'prepared'].map((name) => redisCli('HKEYS', `capture-service:jobs:${name}`));
  const captures = (await Promise.all(hashes)).flat().length;
  const p99 = quantile(live, 0.99);
  const p99Bare = quantile(bare, 0.99);
  console.log(
    `${unexpected.join('\n')}${restarts} restarts: ${jobs.length} jobs accepted, ${count('done')} done, ${count('failed')} failed, ${count('lost')} lost, ${open.length} open, ` +
      `${twice} captured more than once; ${refused.length} refused, ${dishonest} of them captured; ${webhooks.length} webhooks, ${missing} missing; ` +
      `${orphans.length} keys and ${captures} captures without a job; ` +
      `/health/live p50 ${quantile(live, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; bare server p50 ${quantile(bare, 0.5).toFixed(1)} ms, p99 ${p99Bare.toFixed(1)} ms; ` +
      `event loop of the service, p99 of each second: median ${quantile(lags, 0.5).toFixed(1)} ms, p99 ${quantile(lags, 0.99).toFixed(1)} ms`,
  );
  const isGood =
    unexpected.length === 0 &&
    count('done') === jobs.length &&
    dishonest === 0 &&
    missing === 0 &&
    orphans.length === 0 &&
    captures === 0;
  if (!isGood || p99 > LIVE_LIMIT_MS) process.exitCode = 1;
}

async function redisCli(...command) {
  const { port } = new URL(redis.url);
  const { stdout } = await promisify(execFile)('redis-cli', ['-p', port, ...command]);
  return stdout.split('\n').filter((line) => line !== '');
}

async function createCountingSite() {
  const [loads, hooks] = [new Map(), new Set()];
  const answer = async (request, response) => {
    const path = (request.url ?? '').slice(1);
    if (path === 'hook') hooks.add(JSON.parse(await text(request)).id);
    else if (/^\d+$/.test(path)) loads.set(path, (loads.get(path) ?? 0) + 1);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>page</p>');
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve)));
  return { origin: `http://127.0.0.1:${server.address().port}`, loads, hooks, close };
}
