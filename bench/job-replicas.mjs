// npm run bench -- job-replicas [jobs] [ms that each page waits]
// Compares the jobs per minute of two instances that share a Redis and a folder with those of one instance, in turns.
// The page mostly waits, because two instances on one machine share its processors. Touches only processes that it has
// started.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRedis } from './job-redis.mjs';
import { startService } from './service.mjs';
import { quantile } from './statistics.mjs';

const [jobs = '40', waitMs = '4000'] = process.argv.slice(2);
const ROUNDS = 3;
const LEAST = 1.8;
const LIMIT_MS = 300_000;
const POLL_MS = 200;

const folder = await mkdtemp(join(tmpdir(), 'job-replicas-'));
const redis = await startRedis(folder);
const settings = { DATA_DIR: join(folder, 'data'), REDIS_URL: redis.url };
const ratios = [];
try {
  for (let round = 1; round <= ROUNDS; round++) {
    const one = await jobsAMinute(1);
    const two = await jobsAMinute(2);
    ratios.push(two / one);
    console.log(
      `round ${round}: one ${one.toFixed(1)} jobs a minute, two ${two.toFixed(1)}: ${(two / one).toFixed(2)} times`,
    );
  }
} finally {
  redis.child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
}
console.log(`two instances do ${quantile(ratios, 0.5).toFixed(2)} times the jobs of one`);
if (quantile(ratios, 0.5) < LEAST) process.exitCode = 1;

async function jobsAMinute(instances) {
  const services = await Promise.all(Array.from({ length: instances }, () => startService({ settings })));
  try {
    const [{ url }] = services;
    await doAll(url, instances * 4); // warm-up
    const startedAt = performance.now();
    await doAll(url, Number(jobs));
    return (Number(jobs) * 60_000) / (performance.now() - startedAt);
  } finally {
    await Promise.all(services.map((service) => service.close()));
  }
}

/** Submits `count` jobs and resolves when all are done. */
async function doAll(url, count) {
  const capture = { html_content: '<p>waits</p>', delay_capture: Number(waitMs), run_ahead: 0 };
  const submittedNotice = await requestJson(url, '/jobs/batch', {
    captures: Array.from({ length: count }, () => capture),
  });
  const open = submittedNotice.jobs.map(({ id }) => id);
  for (const endsAt = performance.now() + LIMIT_MS; open.length > 0;) {
    const { state } = await requestJson(url, `/jobs/${open[0]}`);
    if (state === 'done') open.shift();
    else if (state === 'failed' || performance.now() > endsAt) throw new Error(`a job is ${state}`);
    else await delay(POLL_MS);
  }
}

async function requestJson(url, path, body) {
  const response = await fetch(new URL(path, url), {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}
