// npm run bench -- job-chaos [sqlite|redis|both] [kills]
// Kills the service at random moments while clients submit and cancel jobs with webhooks, store paths and secrets. No
// job may be lost, no webhook missing, no file or key left without a job, and no secret left on the disk or in Redis.
// Ends only processes that it has started.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createChaosSite } from './chaos-site.mjs';
import { createChaosClient } from './chaos-client.mjs';
import { startProbes } from './health-probes.mjs';
import { startRedis } from './job-redis.mjs';
import { findFilesWithout, findSecretsInFiles, inspectRedis } from './job-leftovers.mjs';
import { startService } from './service.mjs';

const [engine = 'both', kills = '50'] = process.argv.slice(2);
const LONGEST_LIFE_MS = 4_000;
const DRAIN_LIMIT_MS = 420_000; // a webhook whose first two attempts failed waits five minutes
const SWEEP_LIMIT_MS = 100_000; // a lease, and a sweep after it
const LIVE_LIMIT_MS = 50;
/** A busy machine delays every server: the service may take so much longer than a bare one. */
const BUSY_FACTOR = 2;
const CANARY = `canary-${randomBytes(12).toString('hex')}`;
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

for (const each of engine === 'both' ? ['sqlite', 'redis'] : [engine]) await run(each);

async function run(name) {
  const startedAt = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'job-chaos-'));
  const data = join(folder, 'data');
  const site = await createChaosSite(SECRET);
  const redis = name === 'redis' ? await startRedis(folder) : undefined;
  const settings = {
    DATA_DIR: data,
    WEBHOOK_SECRET: SECRET,
    POOL_SIZE: '2',
    ...(redis && { REDIS_URL: redis.url }),
  };
  let service = await startService({ settings });
  const client = createChaosClient({ address: () => service?.url, site, canary: CANARY });
  const probes = await startProbes(() => service?.url);
  try {
    const submitting = client.start();
    for (let kill = 0; kill < Number(kills); kill++) {
      await delay(Math.random() * LONGEST_LIFE_MS);
      const killed = service;
      service = undefined;
      process.kill(killed.pid, 'SIGKILL');
      await killed.close();
      service = await startService({ settings });
      process.stdout.write(`\r${name}: ${kill + 1} kills, ${client.jobs.size} jobs, ${seconds(startedAt)} s   `);
    }
    client.stop();
    await submitting;
    const drained = await until(() => client.findViolations(), DRAIN_LIMIT_MS);
    const left = await until(() => findLeftovers(client, { data, redis }), SWEEP_LIMIT_MS);
    report(name, { client, site, live: probes.stop(), violations: [...drained, ...left], startedAt });
  } finally {
    client.stop();
    probes.stop();
    await service?.close();
    await site.close();
    redis?.child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

async function findLeftovers(client, { data, redis }) {
  const jobs = await client.readJobs();
  return [
    ...(await findFilesWithout(jobs, data)),
    ...(await findSecretsInFiles(CANARY, data)),
    ...(redis === undefined ? [] : await inspectRedis(redis.url, { jobs, secret: CANARY })),
  ];
}

/** Repeats a check until it finds nothing, or the time is up. */
async function until(check, limitMs) {
  for (const endsAt = performance.now() + limitMs; ;) {
    const found = await check();
    if (found.length === 0 || performance.now() > endsAt) return found;
    await delay(2_000);
  }
}

function report(name, { client, site, live, violations, startedAt }) {
  const { states, givenUp, hooks } = client.summary();
  const twice = [...site.loads.values()].filter((loads) => loads > 1).length;
  const count = Object.entries(states).map(([state, jobs]) => `${jobs} ${state}`);
  console.log(
    `\r${name}: ${kills} kills, ${client.jobs.size} jobs (${count.join(', ')}; ${givenUp} given up after three kills, ${twice} captured more than once), ` +
      `${hooks} webhooks (${site.refused()} refused once, ${site.repeated()} repeated), ${violations.length} violations, ${seconds(startedAt)} s; ` +
      `/health/live p50 ${live.service.p50.toFixed(1)} ms, p99 ${live.service.p99.toFixed(1)} ms (bare server: p50 ${live.bare.p50.toFixed(1)} ms, p99 ${live.bare.p99.toFixed(1)} ms)`,
  );
  for (const violation of violations.slice(0, 20)) console.log(`  ${violation}`);
  const isSlow = live.service.p99 > Math.max(LIVE_LIMIT_MS, BUSY_FACTOR * live.bare.p99);
  if (violations.length > 0 || isSlow) process.exitCode = 1;
}

function seconds(sinceMs) {
  return ((performance.now() - sinceMs) / 1_000).toFixed(0);
}
