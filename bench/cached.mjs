// npm run bench -- cached [rounds] [seconds]
// Compares answers from the cache with a bare Express route that sends the same bytes and headers: with a signed link,
// with the token, and while 4 captures run. The last one is JSON of 5 MB, with a picture in base64.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { signedQuery } from '../dist/core/access/signature.js';
import { createHttpClient } from './http-client.mjs';
import { JOBS } from './jobs.mjs';
import { startService } from './service.mjs';
import { createBenchSite } from './site.mjs';
import { quantile } from './statistics.mjs';

const [rounds = 5, seconds = 4] = process.argv.slice(2).map(Number);
const CAPTURES_MEANWHILE = 4;
const TOKEN = randomBytes(32).toString('hex');
const SECRET = randomBytes(32).toString('hex');
/** Headers that the transport of each side sets. */
const TRANSPORT = ['connection', 'content-length', 'date', 'keep-alive'];
const LEAST_SPEED_RATIO = 0.8;
const LARGEST_P99_RATIO = 3;

const site = await createBenchSite();
const service = await startService({ settings: { AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: SECRET } });
const fields = { url: site.url('/plain'), cache_ttl: '2592000' };
const expires = `${Math.floor(Date.now() / 1000) + 3600}`;
const signed = `/capture?${signedQuery(new Map(Object.entries({ ...fields, expires })), SECRET)}`;
const unsigned = `/capture?${new URLSearchParams(fields)}`;
const picture = { url: site.url('/photographs'), pixel_density: '1.9', response_type: 'json' };
const json = `/capture?${new URLSearchParams({ ...fields, ...picture })}`;
const bearer = { authorization: `Bearer ${TOKEN}` };
const capturer = createHttpClient(service.url, { token: TOKEN });
let failed = false;
try {
  for (const { title, path, headers } of [
    { title: 'signed link', path: signed, headers: {} },
    { title: 'token', path: unsigned, headers: bearer },
    { title: 'JSON of 5 MB', path: json, headers: bearer },
  ]) {
    const bare = await openBareRoute(await readAnswer(path, headers));
    const sides = [
      { label: 'cached', url: service.url + path, headers },
      { label: 'bare', url: bare.url + path, headers },
    ];
    const idle = await compare(sides, { connections: 10 });
    report(`${title}, 10 connections: answers/s`, idle.speed, idle.speed.ratio >= LEAST_SPEED_RATIO);
    const busy = await whileCapturing(() => compare(sides, { connections: 50 }));
    report(
      `${title}, 50 connections, ${CAPTURES_MEANWHILE} captures at once: p99 ms`,
      busy.p99,
      busy.p99.ratio <= LARGEST_P99_RATIO,
    );
    bare.close();
  }
} finally {
  capturer.close();
  await service.close();
  await site.close();
}
if (failed) process.exitCode = 1;

/** Returns the answer after it is in the cache. */
async function readAnswer(path, headers) {
  await fetch(service.url + path, { headers });
  const response = await fetch(service.url + path, { headers });
  if (response.headers.get('x-cache') !== 'HIT') throw new Error(`not from the cache: ${response.status}`);
  const body = Buffer.from(await response.arrayBuffer());
  const own = [...response.headers].filter(([name]) => !TRANSPORT.includes(name));
  return { headers: Object.fromEntries(own), body };
}

async function openBareRoute({ headers, body }) {
  const child = fork(fileURLToPath(new URL('./bare-route.mjs', import.meta.url)), { stdio: 'inherit' });
  child.send({ headers, body: body.toString('base64') });
  const [{ url }] = await once(child, 'message');
  return { url, close: () => child.disconnect() };
}

/** Alternates both, so other load on the machine affects both. The first round of each is the warm-up. */
async function compare(sides, { connections }) {
  const runs = sides.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { url, headers }] of sides.entries()) {
      const run = await autocannon({ url, headers, connections, duration: round === 0 ? 2 : seconds });
      if (run.non2xx + run.errors + run.timeouts > 0) throw new Error(`not all answered: ${url}`);
      if (round > 0) runs[index].push(run);
    }
  }
  return {
    speed: summarise(runs, ({ requests }) => requests.average),
    p99: summarise(runs, ({ latency }) => latency.p99),
  };
}

function summarise([cached, bare], figure) {
  const ratios = cached.map((run, index) => figure(run) / figure(bare[index]));
  return {
    cached: quantile(cached.map(figure), 0.5),
    bare: quantile(bare.map(figure), 0.5),
    ratio: quantile(ratios, 0.5),
    ratios,
  };
}

function report(what, { cached, bare, ratio, ratios }, holds) {
  const range = `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
  console.log(
    `${what}: ${cached.toFixed(0)}, bare ${bare.toFixed(0)}: ratio ${ratio.toFixed(2)} (${range})${holds ? '' : ' NOT ENOUGH'}`,
  );
  if (!holds) failed = true;
}

async function whileCapturing(work) {
  const over = new AbortController();
  const capturing = Array.from({ length: CAPTURES_MEANWHILE }, async () => {
    while (!over.signal.aborted) await capturer.capture(site.url('/photographs'), JOBS.photographs);
  });
  const result = await work();
  over.abort();
  await Promise.all(capturing);
  return result;
}
