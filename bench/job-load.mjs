// npm run bench -- job-load [waiting jobs] [seconds of each part] [requests a second]
// Compares the latency of `POST /capture` while hundreds of jobs wait with the latency without jobs, in turns.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpClient } from './http-client.mjs';
import { sendAtRate } from './open-load.mjs';
import { startService } from './service.mjs';
import { createBenchSite, siteUrl } from './site.mjs';
import { quantile } from './statistics.mjs';

const [waiting = '500', seconds = '30', perSecond = '2'] = process.argv.slice(2);
const BATCH = 100;
const ROUNDS = 2;
const MOST = 1.3;

const folder = await mkdtemp(join(tmpdir(), 'job-load-'));
const site = await createBenchSite({ host: '0.0.0.0' });
const service = await startService({ settings: { DATA_DIR: folder } });
const client = createHttpClient(service.url);
const sitePort = new URL(site.origin).port;
const capture = client.statusOf(sitePort, '/photographs', (text) => console.log(text));
try {
  await sendAtRate({ perSecond: 2, seconds: 5, capture }); // warm-up
  const [without, beside] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(...(await part()));
    const ids = await submitJobs(Number(waiting));
    beside.push(...(await part()));
    const left = await cancelRest(ids);
    console.log(`round ${round + 1}: ${ids.length - left} jobs done meanwhile, ${left} cancelled`);
  }
  const [alone, loaded] = [without, beside].map((times) => quantile(times, 0.95));
  console.log(
    `POST /capture: p95 ${alone.toFixed(0)} ms, while ${waiting} jobs wait ${loaded.toFixed(0)} ms: ${(loaded / alone).toFixed(2)} times`,
  );
  if (loaded > MOST * alone) process.exitCode = 1;
} finally {
  client.close();
  await service.close();
  await site.close();
  await rm(folder, { recursive: true, force: true });
}

async function part() {
  const answers = await sendAtRate({ perSecond: Number(perSecond), seconds: Number(seconds), capture });
  return answers.map(({ ms }) => ms);
}

async function submitJobs(count) {
  const ids = [];
  for (let from = 0; from < count; from += BATCH) {
    const captures = Array.from({ length: Math.min(BATCH, count - from) }, () => ({
      url: siteUrl(from, sitePort, '/photographs'),
    }));
    const response = await fetch(new URL('/jobs/batch', service.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ captures }),
    });
    const { jobs, ...failure } = await response.json();
    if (jobs === undefined) throw new Error(JSON.stringify(failure));
    ids.push(...jobs.map(({ id }) => id));
  }
  return ids;
}

async function cancelRest(ids) {
  let left = 0;
  for (const id of ids.toReversed()) {
    const response = await fetch(new URL(`/jobs/${id}`, service.url), { method: 'DELETE' });
    const { state } = await response.json();
    if (state === 'cancelled') left++;
  }
  return left;
}
