import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../support/http.ts';
import { childrenOf, openFilesOf, processesOf, processGroup } from '../support/processes.ts';
import { readHealth, type RunningService, startService } from '../support/service.ts';

const CLIENTS = 4;
/** SOAK=300 for the long run. */
const CAPTURES = Number(process.env['SOAK'] ?? 40);
/** Sockets of clients that are being closed; a leak of one for each capture would be ten times as many. */
const FILES_TOLERANCE = 4;
/** In tiles: the better part of a second. */
const LONG_TO_PAINT = '<body style="height: 30000px; background: linear-gradient(red, blue)">';
const STEADY_COUNTS = 20; // most of a second: longer than it takes until pages are made ahead
const SOAK_PATHS = ['/plain', '/colours', '/set-cookie', '/element', '/frames', '/status/404', '/download'];

describe('a service whose browser dies', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), startService({ POOL_SIZE: '4' })]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  it('answers every capture that was running, and is ready again', async () => {
    const browser = service.browserPid();
    const asked = site.requests.length;
    const running = Array.from({ length: CLIENTS }, () => captureOf('/slow?ms=600'));
    await eventually(() => expect(site.requests.length).toBe(asked + CLIENTS));

    process.kill(browser, 'SIGKILL');

    const answers = await Promise.all(running);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(service.browserPid()).not.toBe(browser);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
    expect((await readHealth(service.url)).browser).toMatchObject({ connected: true, restarts: 1 });
    await eventually(() => expect(processGroup(browser)).toEqual([]));
    await eventually(() => expect(readdirSync(service.temporaryFolder)).toHaveLength(1));
  });

  // The page was captured without what it had not loaded yet, or answered as one that can't be reached; or as a download, since of a
  // page on its way the end of the navigation is told before the end of its renderer.
  it.each([
    ['connections', 'network.mojom.NetworkService'],
    ['renderers', '--type=renderer'],
  ])('answers every capture that lost its %s while its page was on its way', async (_what, type) => {
    const asked = site.requests.length;
    const running = Array.from({ length: CLIENTS }, () => captureOf('/slow?ms=600'));
    await eventually(() => expect(site.requests.length).toBe(asked + CLIENTS));

    await strike(type);

    const answers = await Promise.all(running);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  });

  it('answers a capture under which the process that paints was lost', async () => {
    for (const afterMs of [100, 250, 400]) {
      const running = capture(service.url, { html_content: LONG_TO_PAINT, full_page: true });
      await delay(afterMs);

      await strike('--type=gpu-process');

      expect((await running).status).toBe(200);
    }
  });

  it('replaces the browser when nothing is running, too', async () => {
    const browser = service.browserPid();

    process.kill(browser, 'SIGKILL');
    await eventually(() => expect(service.browserPid()).not.toBe(browser));

    expect((await captureOf('/plain')).status).toBe(200);
  });

  it('says that the page crashed when the browser dies a second time under it', async () => {
    const asked = site.requests.length;
    const running = captureOf('/slow?ms=3000');

    for (const attempt of [1, 2]) {
      await eventually(() => expect(site.requests.length).toBe(asked + attempt));
      process.kill(service.browserPid(), 'SIGKILL');
    }

    expect((await running).json()).toMatchObject({
      error_type: 'PageCrashedError',
      message: 'The browser was lost twice while it captured the page',
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

describe('a service that runs on', () => {
  it('takes over to a new browser without a failed capture', async () => {
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
    `is after ${CAPTURES} captures what it was before`,
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

/** `CLIENTS` at a time; the answers in the order of the paths, which repeat. */
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

/** What the service holds once its last page is closed and the renderers are gone. */
async function settled(service: RunningService) {
  await eventually(async () => expect((await readHealth(service.url)).pool.busy).toBe(0));
  // Pages are made ahead in each place a moment after the last capture: as many processes for a while.
  let counts: number[] = [];
  const browserProcesses = await eventually(() => {
    const { length } = processGroup(service.browserPid());
    counts = [...counts, length].slice(-STEADY_COUNTS);
    // Itself, two zygotes, network, storage, GPU, a spare renderer, and a page made ahead in each place.
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
