import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from '../support/eventually.ts';
import { createFixtureSite } from '../support/fixture-site.ts';
import { capture } from '../support/http.ts';
import { isRunning, openFilesOf, processGroup, renderersOf } from '../support/processes.ts';
import { readHealth, type RunningService, startService } from '../support/service.ts';

const POOL_SIZE = 4;
/**
 * Waves before the base is measured, because caches and heaps grow at first, and after it. LEAK_WAVES=50 for the long
 * run.
 */
const [FIRST_WAVES, WAVES] = [3, Number(process.env['LEAK_WAVES'] ?? 6)];
const IDLE_MS = 10_000;
const MAX_IDLE_SHARE = 0.02; // of one core
const CLOCK_TICKS = 100; // a second, on every Linux
const FILES_TOLERANCE = 4;
const TIMERS_TOLERANCE = 4; // keep-alive connections of clients
const MEMORY_TOLERANCE = 1.15;

describe('a service after waves of captures', () => {
  it('holds what it held before, and does nothing', { timeout: 300_000 }, async ({ annotate }) => {
    await using site = await createFixtureSite();
    await using service = await startService({
      POOL_SIZE: `${POOL_SIZE}`,
      BROWSER_RECYCLE_AFTER: '100000',
      NODE_OPTIONS: '--inspect=127.0.0.1:0', // to collect garbage, and to look inside
    });
    for (let wave = 0; wave < FIRST_WAVES; wave += 1) await sendWave(service, site.url);
    const base = await measure(service);

    for (let wave = 0; wave < WAVES; wave += 1) await sendWave(service, site.url);
    const after = await measure(service);

    await annotate(JSON.stringify({ base, after }));
    expect(after.renderers).toBeLessThanOrEqual(POOL_SIZE + 1); // the pages that are prepared
    expect(after.folders).toEqual(base.folders);
    expect(after.files).toBeLessThanOrEqual(base.files + FILES_TOLERANCE);
    expect(after.timers).toBeLessThanOrEqual(base.timers + TIMERS_TOLERANCE);
    expect(after.listeners).toEqual(base.listeners);
    expect(after.heapBytes).toBeLessThanOrEqual(base.heapBytes * MEMORY_TOLERANCE);
    expect(after.browserBytes).toBeLessThanOrEqual(base.browserBytes * MEMORY_TOLERANCE);
    expect(after.idleShare).toBeLessThanOrEqual(MAX_IDLE_SHARE);
    expect(service.output()).not.toContain('Warning'); // Node warns of listeners that are never removed
  });

  it('ends its browser within 5 s when it is killed', async () => {
    await using site = await createFixtureSite();
    await using service = await startService();
    const browser = service.browserPid();
    const running = Promise.allSettled([capture(service.url, { url: site.url('/slow?ms=20000') })]);
    await eventually(async () => expect((await readHealth(service.url)).pool.busy).toBe(1));

    await service.stop('SIGKILL');

    await expect.poll(() => processGroup(browser), { timeout: 5_000 }).toEqual([]);
    await running;
    expect(isRunning(service.pid)).toBe(false);
  });
});

/** Good captures, failed ones, some whose client leaves, and one whose renderer is killed. */
async function sendWave(service: RunningService, at: (path: string) => string): Promise<void> {
  const endless = { url: at('/slow?ms=5000') };
  const good = [{ url: at('/plain') }, { url: at('/plain'), format: 'pdf', full_page: true }, { html_content: '<p>x' }];
  const failed = [
    { url: at('/nothing'), fail_on_http_error: true },
    { url: at('/plain'), wait_for_selector: '#none', wait_for_timeout: 100 },
    { url: 'http://unknown.invalid/' },
  ];
  const leaving = Array.from({ length: 3 }, (_, index) => leave(service, endless, 50 * index));
  const crash = crashOne(service, at('/slow?ms=400'));
  const answers = await Promise.all([...good, ...good, ...failed].map((fields) => capture(service.url, fields)));
  await Promise.all([...leaving, crash]);
  expect(answers.map(({ status }) => (status === 200 ? 'good' : 'failed')).join(' ')).toBe(
    `${'good '.repeat(2 * good.length)}failed failed failed`,
  );
  await eventually(async () => expect((await readHealth(service.url)).pool).toMatchObject({ busy: 0, waiting: 0 }));
}

async function leave(service: RunningService, fields: object, afterMs: number): Promise<void> {
  const signal = AbortSignal.timeout(300 + afterMs);
  const body = JSON.stringify(fields);
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${service.url}/capture`, { method: 'POST', headers, body, signal }).catch(() => undefined);
}

/** Kills all renderers while a page loads. Captures that lose theirs are made again. */
async function crashOne(service: RunningService, url: string): Promise<void> {
  const captured = capture(service.url, { url });
  await delay(100);
  for (const { pid } of renderersOf(service.browserPid()).slice(0, 1)) process.kill(pid, 'SIGKILL');
  expect([200, 500]).toContain((await captured).status);
}

async function measure({ pid, browserPid, temporaryFolder, output }: RunningService) {
  await delay(2_000); // what closes late, and the garbage collector
  const processes = [pid, ...processGroup(browserPid()).map((entry) => entry.pid)];
  const before = sum(processes, ticksOf);
  await delay(IDLE_MS);
  return {
    idleShare: (sum(processes, ticksOf) - before) / CLOCK_TICKS / (IDLE_MS / 1_000),
    renderers: renderersOf(browserPid()).length,
    folders: readdirSync(temporaryFolder).length,
    files: openFilesOf(pid),
    ...(await lookInside(output())),
    browserBytes: sum(processes.slice(1), bytesOf),
  };
}

/** Collects the garbage of the service, and returns what is left. */
async function lookInside(output: string): Promise<z.infer<typeof left>> {
  const socket = new WebSocket(/ws:\S+/.exec(output)?.[0] ?? '');
  await once(socket, 'open');
  const send = async (id: number, method: string, params: object = {}): Promise<unknown> => {
    socket.send(JSON.stringify({ id, method, params }));
    const [{ data }] = z.tuple([z.object({ data: z.string() })]).parse(await once(socket, 'message'));
    return JSON.parse(data);
  };
  for (const id of [1, 2]) await send(id, 'HeapProfiler.collectGarbage');
  const expression = `({
    heapBytes: process.memoryUsage().heapUsed + process.memoryUsage().external,
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  })`;
  const { result } = answer.parse(await send(3, 'Runtime.evaluate', { expression, returnByValue: true }));
  socket.close();
  return result.result.value;
}

const left = z.object({ heapBytes: z.number(), timers: z.number(), listeners: z.number() });
const answer = z.object({ result: z.object({ result: z.object({ value: left }) }) });

function sum(processes: readonly number[], value: (pid: number) => number): number {
  return processes.reduce((total, pid) => total + value(pid), 0);
}

/** Processor time so far. 0 for a process that has ended. */
function ticksOf(pid: number): number {
  const [, fields = ''] = read(pid, 'stat').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return user + system;
}

/** Memory of a process, with its share of what it has in common with others. */
function bytesOf(pid: number): number {
  return 1_024 * Number(/^Pss: +(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0);
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
