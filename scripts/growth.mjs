// Sends each growing input to the service, and shows what it does to others:
//   npm run test:growth -- [--only name] [--soak minutes]
// `--soak` sends all of them at random from four clients, and prints the memory every minute.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ALL_CASES, SERVICE_SETTINGS } from '../test/growth/all-cases.ts';
import { brokenLimits, brokenWaits, exponentOf } from '../test/growth/limits.ts';
import { createUse, measure, plainRequest, send } from '../test/growth/measure.ts';
import { startService } from '../test/support/service.ts';

const USUAL_CAPTURES = 7;
const CLIENTS = 4;

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, soak: { type: 'string' } } });
const cases = ALL_CASES.filter(({ name }) => name.includes(values.only));
await using service = await startService(SERVICE_SETTINGS, { stores: true });
process.exitCode = (await (values.soak === undefined ? measureAll() : soak(Number(values.soak) * 60_000))) ? 0 : 1;

async function measureAll() {
  const times = [];
  for (let count = 0; count < USUAL_CAPTURES; count++)
    times.push((await send(service, plainRequest(), '127.0.0.9')).ms);
  const usualMs = times.toSorted((one, two) => one - two)[Math.floor(times.length / 2)];
  let broken = 0;
  for (const each of cases) {
    console.log(each.name);
    const rows = await measure(each, service, each.sizes);
    for (const row of rows) console.log(`  ${describe(row)}`);
    const exponent = exponentOf(rows);
    if (exponent !== undefined) console.log(`  processor time grows like n^${exponent.toFixed(2)}`);
    const problems = [...brokenLimits(each, rows), ...brokenWaits(rows, usualMs)];
    for (const problem of problems) console.log(`  BROKEN: ${problem}`);
    broken += problems.length;
    if (rows.some(({ isAlive }) => !isAlive)) break;
  }
  console.log(`${cases.length} inputs, ${broken} broken limits`);
  return broken === 0;
}

function describe({ size, status, ms, cpuMs, riseMb, liveMs, neighbourMs, refused, text }) {
  const rounded = [ms, cpuMs, riseMb, liveMs, neighbourMs].map((value) => Math.round(value));
  return `${size}: ${status} after ${rounded[0]} ms, processor ${rounded[1]} ms, memory +${rounded[2]} MB, live ${rounded[3]} ms, neighbour ${rounded[4]} ms, refused ${refused} ${text}`;
}

async function soak(durationMs) {
  const use = createUse(service.pid);
  const endsAt = performance.now() + durationMs;
  const statuses = new Map();
  let [requests, plain, plainFailed, slowestMs] = [0, 0, 0, 0];
  const attack = async () => {
    while (performance.now() < endsAt) {
      const each = cases[Math.floor(Math.random() * cases.length)];
      const size = each.sizes[Math.floor(Math.random() * each.sizes.length)];
      for (const { status } of await measure(each, service, [size], false)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        requests++;
      }
    }
  };
  const live = async () => {
    while (performance.now() < endsAt) {
      const { status, ms } = await send(service, plainRequest(), '127.0.0.77');
      plain++;
      plainFailed += status === 200 ? 0 : 1;
      slowestMs = Math.max(slowestMs, ms);
      await delay(500);
    }
  };
  const report = async () => {
    while (performance.now() < endsAt) {
      await delay(Math.min(60_000, Math.max(0, endsAt - performance.now())));
      const { mb, isAlive } = use();
      console.log(
        `${requests} requests, ${JSON.stringify(Object.fromEntries(statuses))}; plain captures: ${plain}, failed ${plainFailed}, slowest ${Math.round(slowestMs)} ms; memory ${Math.round(mb)} MB; alive: ${isAlive}`,
      );
    }
  };
  const before = use().mb;
  await Promise.all([...Array.from({ length: CLIENTS }, attack), live(), report()]);
  await delay(70_000); // idle processes end after a minute
  const after = use();
  console.log(`memory ${Math.round(before)} MB before, ${Math.round(after.mb)} MB afterwards`);
  return after.isAlive && plainFailed === 0;
}
