import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { processGroup } from '../../support/processes.ts';
import { readHealth, removeUnused, type RunningService, startService } from '../../support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CLIENTS = 4;
const ALL_ANSWERED = Array.from({ length: CLIENTS }, () => 200);
const SETTINGS = { POOL_SIZE: String(CLIENTS) };

describe('captures that run during shutdown', () => {
  let site: FixtureSite;
  beforeAll(async () => {
    site = await createFixtureSite();
  });
  afterAll(() => site.close());

  /** Starts clients whose pages are all loading. */
  async function startClients(url: string): Promise<Promise<CaptureAnswer[]>[]> {
    const requestsBefore = site.requests.length;
    const answers = Promise.all(
      Array.from({ length: CLIENTS }, () => capture(url, { url: site.url('/slow?ms=2500') })),
    );
    await eventually(() => expect(site.requests.length).toBe(requestsBefore + CLIENTS));
    return [answers]; // wrapped: await would also resolve a nested promise
  }

  // A slot is free between two attempts: the server closed before the second attempts.
  it('are answered if their browser dies meanwhile', async () => {
    await using service = await startService(SETTINGS);
    const [answers] = await startClients(service.url);
    const browser = service.browserPid();

    const stopped = service.stop('SIGTERM');
    await eventually(async () => expect((await fetch(`${service.url}/health/ready`)).status).toBe(503));
    process.kill(browser, 'SIGKILL');

    expect(statuses(await answers)).toEqual(ALL_ANSWERED);
    expect(await stopped).toBe(0);
    expect(processGroup(browser)).toEqual([]);
  });

  // As systemd does by default: every process of the service gets the signal, too.
  it('are answered if all processes get the signal at once', async () => {
    await using service = await startService(SETTINGS);
    const [answers] = await startClients(service.url);
    const browsers = [service.browserPid()];
    const all = processGroup(service.browserPid()).map(({ pid }) => pid);

    const stopped = service.stop('SIGTERM');
    for (const pid of all) endQuietly(pid);
    await eventually(() => browsers.push(newBrowserOf(service, browsers)));

    expect(statuses(await answers)).toEqual(ALL_ANSWERED);
    expect(await stopped).toBe(0);
    expect(browsers.flatMap(processGroup)).toEqual([]);
  });

  // As a supervisor does: npm gets the signal and forwards it. It arrived twice, which forced an immediate stop.
  it('are answered if the process group of npm start gets the signal', async () => {
    const started = await startByNpm();
    try {
      const [answers] = await startClients(started.url);

      process.kill(-started.pid, 'SIGTERM');

      expect(statuses(await answers)).toEqual(ALL_ANSWERED);
      expect(await started.exitCode()).toBe(0);
      expect(processGroup(started.pid)).toEqual([]);
    } finally {
      await started.end();
    }
  });

  it('are cancelled by a second signal', async () => {
    await using service = await startService(SETTINGS);
    const running = capture(service.url, { url: site.url('/never') }).catch((error: unknown) => error);
    await eventually(async () => expect((await readHealth(service.url)).pool.busy).toBe(1));

    const stopped = service.stop('SIGTERM');
    const again = setInterval(() => endQuietly(service.pid), 250); // the first signals count as the same stop
    const code = await stopped;
    clearInterval(again);

    expect(code).toBe(1);
    expect(await running).toBeInstanceOf(Error);
  });
});

function statuses(answers: CaptureAnswer[] | undefined): number[] {
  return (answers ?? []).map(({ status }) => status);
}

function newBrowserOf(service: RunningService, known: readonly number[]): number {
  const pid = service.browserPid();
  if (known.includes(pid)) throw new Error('no new browser yet');
  return pid;
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // The process has ended already.
  }
}

/** Starts `npm start` as the leader of a process group, as a supervisor does. The caller ends it. */
async function startByNpm() {
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'service-test-'));
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    detached: true,
    env: {
      ...process.env,
      ...SETTINGS,
      TMPDIR: temporaryFolder,
      PORT: '0',
      LOG_FORMAT: 'json',
      RATE_LIMIT_ENABLED: 'false',
      EGRESS_ALLOW: '127.0.0.0/8',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid = 0 } = child;
  const exited = once(child, 'exit');
  const urls: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, url] = /"url":"([^"]+)","msg":"listening"/.exec(line) ?? [];
    if (url !== undefined) urls.push(url);
  });
  const url = await eventually(async () => {
    const [first = ''] = urls;
    expect((await fetch(`${first}/health/ready`)).status).toBe(200);
    return first;
  });
  return {
    url,
    pid,
    exitCode: async () => {
      await exited;
      return child.exitCode;
    },
    end: async () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
      await removeUnused(temporaryFolder);
    },
  };
}
