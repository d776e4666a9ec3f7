// npm run bench -- chaos [seconds of each]
// Captures at 70 % of the measured capacity while the browser is killed, frozen or loses its children, then at ten
// times the capacity. Touches only processes of its own service.
import { createHttpClient } from './http-client.mjs';
import { findCapacity, sendAtRate } from './open-load.mjs';
import { commandOf, readProcesses } from './processes.mjs';
import { startService } from './service.mjs';
import { createBenchSite } from './site.mjs';
import { quantile } from './statistics.mjs';

const SECONDS = Number(process.argv[2] ?? 60);
const LOAD = 0.7;
const CLIENTS = 4;
const CAPACITY_SECONDS = 15;
const OVERLOAD = 10;
const OVERLOAD_SECONDS = 20;
const SHOWN_ERRORS = 10;
const FILL_MS = 2_000;

const site = await createBenchSite({ host: '0.0.0.0' });
const service = await startService({});
// Several addresses, because the service gives no single client the whole queue.
const clients = Array.from({ length: CLIENTS }, (_, index) =>
  createHttpClient(service.url, { localAddress: `127.0.0.${1 + index}` }),
);
let errors = [];
const sitePort = new URL(site.origin).port;
const captures = clients.map(({ statusOf }) => statusOf(sitePort, '/plain', (text) => errors.push(text)));
const capture = (index) => captures[index % CLIENTS](index);
try {
  await findCapacity({ clients: CLIENTS, seconds: 3, capture }); // warm-up
  const capacity = await findCapacity({ clients: CLIENTS, seconds: CAPACITY_SECONDS, capture });
  console.log(`capacity: ${capacity.toFixed(1)} captures/s with ${CLIENTS} clients; the load is ${LOAD * 100} % of it`);
  await suffer('nothing happens', capacity, undefined);
  await suffer('the browser is killed every 10 s', capacity, [10_000, () => signal(browserPid(), 'SIGKILL')]);
  await suffer('a child of the browser is killed every 3 s', capacity, [3_000, () => signal(randomChild(), 'SIGKILL')]);
  await suffer('the browser is frozen every 25 s', capacity, [25_000, () => signal(browserPid(), 'SIGSTOP')]);
  await overload(capacity);
} finally {
  for (const client of clients) client.close();
  await service.close();
  await site.close();
}

async function suffer(what, capacity, chaos) {
  let strikes = 0;
  errors = [];
  const timer =
    chaos &&
    setInterval(() => {
      if (chaos[1]()) strikes++;
    }, chaos[0]);
  const answers = await sendAtRate({ perSecond: capacity * LOAD, seconds: SECONDS, capture });
  clearInterval(timer);
  const failed = answers.filter(({ status }) => status !== 200);
  const times = answers.map(({ ms }) => ms);
  console.log(
    `${what}: ${answers.length} captures, ${strikes} strikes, failed: ${failed.length}, p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
  );
  for (const error of errors.slice(0, SHOWN_ERRORS)) console.log(`  ${error}`);
  if (failed.length > 0) process.exitCode = 1;
}

/** Goodput: captures under overload with a full queue, compared with captures just before and after it. */
async function overload(capacity) {
  const peak = () => findCapacity({ clients: CLIENTS, seconds: CAPACITY_SECONDS, capture });
  const before = await peak();
  const answers = await sendAtRate({
    perSecond: capacity * OVERLOAD,
    seconds: OVERLOAD_SECONDS,
    capture,
  });
  const after = await peak();
  const refused = answers.filter(({ status }) => status === 503).map(({ ms }) => ms);
  const done = answers.filter(({ status }) => status === 200);
  const [from, until] = [FILL_MS, OVERLOAD_SECONDS * 1000];
  const counted = done.filter(({ endMs }) => endMs >= from && endMs < until).length;
  const goodput = counted / ((until - from) / 1000);
  const others = answers.length - refused.length - done.length;
  console.log(
    `${OVERLOAD} times the capacity: ${answers.length} captures, ${refused.length} refused, p99 ${quantile(refused, 0.99).toFixed(0)} ms; ` +
      `goodput ${goodput.toFixed(1)} of ${before.toFixed(1)} before and ${after.toFixed(1)} after: ${((2 * goodput) / (before + after)).toFixed(2)}; other answers: ${others}`,
  );
}

/** Returns false if there is no such process at the moment. */
function signal(pid, name) {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false; // the process has ended
  }
}

function browserPid() {
  return readProcesses().find(({ pid, parent }) => parent === service.pid && !commandOf(pid).includes('--type='))?.pid;
}

function randomChild() {
  const browser = browserPid();
  const children = readProcesses().filter(({ group, pid }) => group === browser && pid !== browser);
  return children[Math.floor(Math.random() * children.length)]?.pid;
}
