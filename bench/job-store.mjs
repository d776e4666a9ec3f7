// npm run bench -- job-store [jobs]
// Measures each operation of the SQLite job store with a million finished jobs in it. Writes some 700 MB to a
// temporary folder and removes them.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJobId } from '../dist/parts/jobs/job-id.js';
import { openDatabase } from '../dist/parts/jobs/sqlite/open-database.js';
import { createSqliteStore } from '../dist/parts/jobs/sqlite/sqlite-job-store.js';
import { quantile } from './statistics.mjs';

const JOBS = Number(process.argv[2] ?? 1_000_000);
const WAITING = 500;
const ROUNDS = 200;
const LIMIT_MS = 5;
const HOUR_MS = 3_600_000;

const folder = await mkdtemp(join(tmpdir(), 'job-store-bench-'));
try {
  const database = await openDatabase(folder);
  const store = createSqliteStore({ database, leases: { jobMs: 60_000, webhookMs: 60_000 } });
  await fill(database);
  const { size } = await stat(join(folder, 'jobs.sqlite'));
  console.log(`${JOBS} finished and ${WAITING} waiting jobs: ${(size / 1e6).toFixed(0)} MB`);

  const claims = [];
  await measure('submit', async () => {
    await store.submit([newJob()]);
  });
  await measure('claim', async () => {
    claims.push(await store.claim());
  });
  await measure('heartbeat', (round) => store.heartbeat(claims[round]));
  await measure('finish', (round) => store.finish(claims[round], resultOf(claims[round].id)));
  await measure('get', (round) => store.get(claims[round].id));
  await measure('list, the newest 50', () => store.list('done', { limit: 50 }));
  await measure('list, 50 in the middle', () =>
    store.list('done', { limit: 50, cursor: String(Math.floor(JOBS / 2)) }),
  );
  let old = [];
  await measure('find expired jobs', async () => {
    ({ old } = await store.findSweepable({ before: Date.now() - HOUR_MS, maxBytes: Infinity, limit: 100 }));
  });
  await measure('remove one', (round) => store.remove(old[round % 100].id), 100);
  await measure('count', () => store.counts());
  await store[Symbol.asyncDispose]();
} finally {
  await rm(folder, { recursive: true });
}

async function measure(what, work, rounds = ROUNDS) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await work(round);
    times.push(performance.now() - startedAt);
  }
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  if (p50 > LIMIT_MS) process.exitCode = 1;
  console.log(`${what}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
}

/** Writes the finished jobs of a month at once. */
async function fill(database) {
  const now = Date.now();
  const add = database.prepare(
    `INSERT INTO jobs (id, state, due, attempts, created_at, started_at, finished_at, origin, result, result_bytes)
     VALUES (?, 'done', ?, 1, ?, ?, ?, 'http://localhost:8080', ?, 0)`,
  );
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  for (let index = 0; index < JOBS; index++) {
    const at = now - (JOBS - index) * 2_592;
    const id = createJobId(at);
    add.run(id, at, at, at, at, JSON.stringify(resultOf(id)));
    if (index % 10_000 === 9_999) database.exec('COMMIT; BEGIN');
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL');
  const store = createSqliteStore({ database, leases: { jobMs: 60_000, webhookMs: 60_000 } });
  await store.submit(Array.from({ length: WAITING }, newJob));
}

function newJob() {
  const capture = { url: 'https://example.com/', format: 'pdf' };
  return { id: createJobId(Date.now()), capture, origin: 'http://localhost:8080' };
}

function resultOf(id) {
  const timings = { queue: 0, navigate: 1, ahead: 0, wait: 20, render: 30 };
  const facts = { size: { width: 1280, height: 720 }, targetStatus: 200, targetUrl: 'https://example.com/' };
  return {
    path: `jobs/${id}.png`,
    format: 'png',
    responseType: 'file',
    contentType: 'image/png',
    bytes: 100_000,
    cache: 'BYPASS',
    facts: { ...facts, blockedRequests: 0, filteredRequests: 0, warnings: [], timings },
  };
}
