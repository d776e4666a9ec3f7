// npm run bench -- soak [captures]
// Runs 10,000 captures by 4 clients and reports heap, memory, processes and files before, meanwhile and after. The
// heap is the live heap of the service's own process.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, openHeap } from './heap.mjs';
import { createHttpClient } from './http-client.mjs';
import { readProcesses } from './processes.mjs';
import { startService } from './service.mjs';
import { createBenchSite } from './site.mjs';
import { mean } from './statistics.mjs';

const CAPTURES = Number(process.argv[2] ?? 10_000);
const CLIENTS = 4;
const SAMPLES = 20;
const WARM_UP = 0.1; // share of the samples in which caches and compiled code still grow
const SETTLE_MS = 3_000;

const folder = mkdtempSync(join(tmpdir(), 'soak-'));
const site = await createBenchSite({ host: '0.0.0.0' });
const inspectorPort = await freePort();
const service = await startService({
  settings: { TMPDIR: folder, NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` },
});
const heap = await openHeap(inspectorPort);
const sitePort = new URL(site.origin).port;
const http = createHttpClient(service.url);
const [plain, photographs] = ['/plain', '/photographs'].map((path) => http.statusOf(sitePort, path));
try {
  await captureMany(CLIENTS * 10);
  await delay(SETTLE_MS);
  const before = await holdings();
  const samples = [];
  let failed = 0;
  for (let sample = 1; sample <= SAMPLES; sample++) {
    failed += await captureMany(CAPTURES / SAMPLES);
    samples.push({ captures: (sample * CAPTURES) / SAMPLES, ...(await holdings()) });
    console.log(show(samples.at(-1)));
  }
  await delay(SETTLE_MS);
  const after = await holdings();
  console.log(`before: ${show({ captures: 0, ...before })}`);
  console.log(`after:  ${show({ captures: CAPTURES, ...after })}`);
  const warm = samples.slice(Math.ceil(SAMPLES * WARM_UP));
  const heapSlope = slopeOf(warm.map(({ captures, heap }) => [captures / 1000, heap]));
  const treeSlope = slopeOf(warm.map(({ captures, tree }) => [captures / 1000, tree]));
  console.log(
    `failed: ${failed}; per 1,000 captures: heap ${heapSlope.toFixed(2)} MB, tree ${treeSlope.toFixed(1)} MB`,
  );
  console.log(`most memory of service and browser: ${Math.max(...samples.map(({ tree }) => tree)).toFixed(0)} MB`);
  if (failed > 0 || after.zombies > 0) process.exitCode = 1;
} finally {
  http.close();
  heap.close();
  await service.close();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Captures pages, one in five with photographs. Returns the number of answers that were not 200. */
async function captureMany(count) {
  let [next, failed] = [0, 0];
  const client = async () => {
    while (next < count) {
      const index = next++;
      const status = await (index % 5 === 0 ? photographs : plain)(index).catch(() => 0);
      if (status !== 200) failed++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return failed;
}

/** Returns megabytes of the heap and of the process tree, and counts that would show a leak. */
async function holdings() {
  const { pssMegabytes: tree, processes } = await service.tree.memory();
  return {
    heap: await heap.usedMegabytes(),
    tree,
    processes,
    zombies: readProcesses().filter(({ parent, isZombie }) => parent === service.pid && isZombie).length,
    files: readdirSync(`/proc/${service.pid}/fd`).length,
    folders: readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length,
  };
}

/** Slope of the least-squares line through the points. */
function slopeOf(points) {
  const [x, y] = [mean(points.map(([px]) => px)), mean(points.map(([, py]) => py))];
  const over = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  return over / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
}

function show({ captures, heap, tree, processes, zombies, files, folders }) {
  return `${String(captures).padStart(6)} captures: heap ${heap.toFixed(1)} MB, tree ${tree.toFixed(0)} MB, processes ${processes}, zombies ${zombies}, open files ${files}, folders ${folders}`;
}
