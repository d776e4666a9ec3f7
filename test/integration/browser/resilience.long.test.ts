import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { childrenOf, openFilesOf, processesOf, processGroup } from '../../support/processes.ts';
import { readHealth, type RunningService, startService } from '../../support/service.ts';

const CLIENTS = 4;
/** SOAK=300 for the long run. */
const CAPTURES = Number(process.env['SOAK'] ?? 40);
/** Tolerance for client sockets that are still closing; a leak per capture would be ten times as many. */
const FILES_TOLERANCE = 4;
/** A page that takes most of a second to render in tiles. */
const LONG_TO_PAINT = '<body style="height: 30000px; background: linear-gradient(red, blue)">';
const STEADY_COUNTS = 20; // most of a second: longer than the wait before pages are opened ahead
const SOAK_PATHS = ['/plain', '/colours', '/set-cookie', '/element', '/frames', '/status/404', '/download'];

describe('a service whose browser crashes', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), startService({ POOL_SIZE: '4' })]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  it('answers every running capture and becomes ready again', async () => {
    const browser = service.browserPid();
    const requestsBefore = site.requests.length;
    const running = Array.from({ length: CLIENTS }, () => captureOf('/slow?ms=600'));
    await eventually(() => expect(site.requests.length).toBe(requestsBefore + CLIENTS));

    process.kill(browser, 'SIGKILL');

    const answers = await Promise.all(running);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(service.browserPid()).not.toBe(browser);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect((await readHealth(service.url)).browser).toMatchObject({ connected: true, restarts: 1 });
    await eventually(() => expect(processGroup(browser)).toEqual([]));
    await eventually(() => expect(readdirSync(service.temporaryFolder)).toHaveLength(1));
  });

  // The capture may omit what was not loaded, or report an unreachable page. It may also report a download: for a
  // loading page, the end of the navigation arrives before the end of its renderer.
  it.each([
    ['connections', 'network.mojom.NetworkService'],
    ['renderers', '--type=renderer'],
  ])('answers every capture that lost its %s while its page was loading', async (_what, type) => {
    const requestsBefore = site.requests.length;
    const running = Array.from({ length: CLIENTS }, () => captureOf('/slow?ms=600'));
    await eventually(() => expect(site.requests.length).toBe(requestsBefore + CLIENTS));

    await strike(type);

    const answers = await Promise.all(running);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  });

  it('answers a capture that lost the GPU process', async () => {
    for (const afterMs of [100, 250, 400]) {
      const running = capture(service.url, { html_content: LONG_TO_PAINT, full_page: true });
      await delay(afterMs);

      await strike('--type=gpu-process');

      expect((await running).status).toBe(200);
    }
  });

  it('replaces the browser also when no capture runs', async () => {
    const browser = service.browserPid();

    process.kill(browser, 'SIGKILL');
    await eventually(() => expect(service.browserPid()).not.toBe(browser));

    expect((await captureOf('/plain')).status).toBe(200);
  });

  it('reports a page crash if the browser dies a second time during one capture', async () => {
    const requestsBefore = site.requests.length;
    const running = captureOf('/slow?ms=3000');

    for (const attempt of [1, 2]) {
      await eventually(() => expect(site.requests.length).toBe(requestsBefore + attempt));
      process.kill(service.browserPid(), 'SIGKILL');
    }

    expect((await running).json()).toMatchObject({
      error_type: 'PageCrashedError',
      message: 'The browser crashed twice during the capture',
    });
  });

  async function strike(type: string): Promise<void> {
    const struck = await eventually(() => {
      const processes = processesOf(service.browserPid(), type);
      expect(processes).not.toEqual([]);
      return processes;
    });
    for (const { pid } of struck) process.kill(pid, 'SIGKILL');
  }

  function captureOf(path: string): Promise<CaptureAnswer> {
    return capture(service.url, { url: site.url(path) });
  }
});

describe('a long-running service', () => {
  it('replaces an old browser without a failed capture', async () => {
    await using site = await createFixtureSite();
    await using service = await startService({ BROWSER_RECYCLE_AFTER: '5', POOL_SIZE: '4' });
    const browser = service.browserPid();

    const answers = await captureMany(service, site, 16, ['/plain']);

    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    await eventually(() => expect(processGroup(browser)).toEqual([]));
    await eventually(() => expect(readdirSync(service.temporaryFolder)).toHaveLength(1));
    expect((await readHealth(service.url)).browser).toMatchObject({ connected: true, restarts: 0 });
  });

  it(
    `returns to its initial resource counts after ${CAPTURES} captures`,
    { timeout: 120_000 + CAPTURES * 1_000 },
    async () => {
      await using site = await createFixtureSite();
      await using service = await startService({ POOL_SIZE: `${CLIENTS}` });
      await captureMany(service, site, SOAK_PATHS.length * 2, SOAK_PATHS);
      const before = await settled(service);

      const answers = await captureMany(service, site, CAPTURES, SOAK_PATHS);

      const after = await settled(service);
      const failed = answers.filter((answer, index) => {
        const expected = SOAK_PATHS[index % SOAK_PATHS.length] === '/download' ? 500 : 200;
        return answer.status !== expected;
      });
      expect(failed).toEqual([]);
      expect(after.files).toBeLessThanOrEqual(before.files + FILES_TOLERANCE);
      expect(after.browserProcesses).toBeLessThanOrEqual(before.browserProcesses + 1);
      expect(after.profileFolders).toBe(1);
      expect(after.zombies).toEqual([]);
      expect(after.browser).toMatchObject({ connected: true, restarts: 0 });
    },
  );
});

/** Captures with `CLIENTS` requests at a time; returns the answers in the order of the paths, which repeat. */
async function captureMany(
  service: RunningService,
  site: FixtureSite,
  count: number,
  paths: readonly string[],
): Promise<CaptureAnswer[]> {
  const answers: CaptureAnswer[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const url = site.url(paths[index % paths.length] ?? '/plain');
      answers[index] = await capture(service.url, { url, format: index % 3 === 0 ? 'pdf' : 'png' });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return answers;
}

/** Returns the resources of the service after its last page is closed and the renderers have ended. */
async function settled(service: RunningService) {
  await eventually(async () => expect((await readHealth(service.url)).pool.busy).toBe(0));
  // Each slot opens a page ahead shortly after the last capture: the process count needs a while to settle.
  let counts: number[] = [];
  const browserProcesses = await eventually(() => {
    const { length } = processGroup(service.browserPid());
    counts = [...counts, length].slice(-STEADY_COUNTS);
    // The browser, two zygotes, network, storage, GPU, a spare renderer, and a page opened ahead per slot.
    expect(length).toBeLessThanOrEqual(7 + CLIENTS);
    expect(counts).toEqual(Array.from({ length: STEADY_COUNTS }, () => length));
    return length;
  });
  return {
    browserProcesses,
    files: openFilesOf(service.pid),
    profileFolders: readdirSync(service.temporaryFolder).length,
    zombies: childrenOf(service.pid).filter((entry) => entry.isZombie),
    browser: (await readHealth(service.url)).browser,
  };
}
