// npm run bench -- queue [/plain or /photographs] [seconds of each]
// Measures capture times at 50, 70 and 90 % of the capacity, and compares them with `queue-model.mjs` for the same
// arrivals.
import { performance } from 'node:perf_hooks';
import { createHttpClient } from './http-client.mjs';
import { describeMachine } from './machine.mjs';
import { findCapacity, sendAt } from './open-load.mjs';
import { createRandom, drawArrivals, simulate } from './queue-model.mjs';
import { startService } from './service.mjs';
import { createBenchSite } from './site.mjs';
import { quantile } from './statistics.mjs';

const [path = '/photographs', secondsText = '40'] = process.argv.slice(2);
const SECONDS = Number(secondsText);
const SLOTS = 4;
const LOADS = [0.5, 0.7, 0.9];
const ROUNDS = 3;
const SEED = 20_261_121;
const LONG_RUN = 100_000;
const MEMORY_SAMPLES = 8;
const SETTLE_MS = 2_000;

const site = await createBenchSite({ host: '0.0.0.0' });
const service = await startService({ pool: SLOTS });
const client = createHttpClient(service.url);
const capture = client.statusOf(new URL(site.origin).port, path);
try {
  const machine = describeMachine(service.browserVersion);
  await findCapacity({ clients: SLOTS, seconds: 5, capture }); // warm-up
  await new Promise((resolve) => void setTimeout(resolve, SETTLE_MS));
  const idle = await pssMegabytes();
  const alone = [];
  const perSecond = Array.from({ length: SLOTS + 1 }, () => 0);
  // Alternating, so other load on the machine affects all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (let clients = 1; clients <= SLOTS; clients++) {
      const capacity = await findCapacity({
        clients,
        seconds: SECONDS / 10,
        capture: clients === 1 ? timed : capture,
      });
      perSecond[clients] += capacity / ROUNDS;
    }
  }
  const memory = await memoryUnderLoad();
  console.log(`${path}, ${SLOTS} slots\n`);
  console.log('| clients | captures/s |\n| ---: | ---: |');
  for (let clients = 1; clients <= SLOTS; clients++) {
    console.log(`| ${clients} | ${perSecond[clients].toFixed(1)} |`);
  }
  console.log(
    '\n| load | captures/s | model p50 / p95 ms | measured p50 / p95 ms | failed | model, steady p50 / p95 / p99 ms |',
  );
  console.log('| ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const load of LOADS) await compare(load, alone, perSecond);
  console.log(
    `\nMemory (PSS): ${idle.toFixed(0)} MB idle, at most ${memory.toFixed(0)} MB with ${SLOTS} captures at once\n${machine.join('\n')}`,
  );

  async function timed(index) {
    const sentAt = performance.now();
    const status = await capture(index);
    alone.push(performance.now() - sentAt);
    return status;
  }
} finally {
  client.close();
  await service.close();
  await site.close();
}

/** Prints one row: the same arrivals in the model and at the service, and a long run of the model. */
async function compare(load, alone, perSecond) {
  // The capacity of a shared machine changes from minute to minute.
  const capacity = await findCapacity({ clients: SLOTS, seconds: SECONDS / 4, capture });
  const rate = load * capacity;
  const meanAlone = alone.reduce((sum, ms) => sum + ms, 0) / alone.length;
  const speedOf = (busy) => (perSecond[busy] / busy / (1000 / meanAlone)) * (capacity / perSecond[SLOTS]);
  const random = createRandom(SEED);
  const run = (count) => {
    const arrivals = drawArrivals({ count, perSecond: rate, random });
    const work = arrivals.map(() => alone[Math.floor(random() * alone.length)]);
    return { arrivals, times: simulate({ arrivals, work, slots: SLOTS, speedOf }) };
  };
  const model = run(Math.round(rate * SECONDS));
  const answers = await sendAt(model.arrivals, capture);
  const measured = answers.map(({ ms }) => ms);
  const failed = answers.filter(({ status }) => status !== 200).length;
  const steady = run(LONG_RUN).times;
  console.log(
    `| ${load * 100} % | ${rate.toFixed(1)} | ${show(model.times, 0.5, 0.95)} | ${show(measured, 0.5, 0.95)} | ${failed} | ${show(steady, 0.5, 0.95, 0.99)} |`,
  );
}

async function memoryUnderLoad() {
  const samples = [];
  const load = findCapacity({ clients: SLOTS, seconds: 5, capture });
  for (let sample = 0; sample < MEMORY_SAMPLES; sample++) {
    samples.push(await pssMegabytes());
    await new Promise((resolve) => void setTimeout(resolve, 400));
  }
  await load;
  return Math.max(...samples);
}

async function pssMegabytes() {
  const memory = await service.tree?.memory();
  return memory?.pssMegabytes ?? NaN;
}

function show(times, ...shares) {
  return shares.map((share) => quantile(times, share).toFixed(0)).join(' / ');
}
