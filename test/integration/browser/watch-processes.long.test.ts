import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import type { LaunchedBrowser } from '../../../src/core/browser/process/launch.ts';
import { findChildren } from '../../../src/core/browser/process/process-table.ts';
import { watchBrowser } from '../../../src/core/browser/process/watch-processes.ts';
import { createLog } from '../../../src/core/ground/log.ts';
import { eventually } from '../../support/eventually.ts';
import { fake } from '../../support/fake.ts';

const SPIN = 'while (true);';
const GROW = 'const all = []; setInterval(() => all.push(Buffer.alloc(2e7, 1)), 10);';
const REST = 'setInterval(() => {}, 1000);';
const TWO_BUSY = `${REST}
for (let i = 0; i < 2; i++) require('child_process').spawn(process.execPath, ['-e', '${SPIN}', '--', '--type=renderer']);`;
const MEGABYTE = 1024 ** 2;
const answers = (): Promise<unknown> => Promise.resolve({});

describe('watchBrowser', () => {
  let over: AbortController;
  let children: ChildProcess[];
  beforeEach(() => {
    over = new AbortController();
    children = [];
  });
  afterEach(() => {
    over.abort();
    for (const child of children) child.kill('SIGKILL');
  });

  /** Starts a process in its own group, with the arguments of a renderer or others. */
  const run = async (script: string, ...args: string[]): Promise<number> => {
    const child = spawn(process.execPath, ['-e', `console.log(1);${script}`, '--', ...args], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    await once(child.stdout, 'data'); // the process runs
    return child.pid ?? 0;
  };
  const runRenderer = (script: string): Promise<number> => run(script, '--type=renderer');

  const watch = (
    pid: number,
    answer: () => Promise<unknown>,
    {
      hasLostPageStarters = () => false,
      receivedCount = () => 0,
    }: Partial<LaunchedBrowser & LaunchedBrowser['pipe']> = {},
  ): { kill: Mock<() => void>; onUnresponsive: Mock<() => void> } => {
    const onUnresponsive = vi.fn<() => void>();
    const kill = vi.fn<() => void>(() => {
      over.abort();
    });
    watchBrowser({
      onUnresponsive,
      browser: fake<LaunchedBrowser>({
        pid,
        kill,
        hasLostPageStarters,
        pipe: fake<LaunchedBrowser['pipe']>({ receivedCount }),
        ended: over.signal,
        connection: fake<LaunchedBrowser['connection']>({ send: fake(answer) }),
      }),
      // 250 MB for each renderer, and more: this process counts as the service, and has run other files before
      memory: { limitBytes: 1_000 * MEGABYTE + process.memoryUsage.rss(), usedBytes: () => undefined },
      pages: { oldestOpenedAt: () => 0, oldestTakenAt: () => 0 },
      log: createLog({ level: 'silent', format: 'json' }),
    });
    return { kill, onUnresponsive };
  };

  it('lowers the priority of every thread of a busy renderer, again and again', async () => {
    const pid = await runRenderer(SPIN);
    watch(pid, answers);

    await eventually(() => expect(niceOfThreads(pid)).toEqual([5]));
    await eventually(() => expect(niceOfThreads(pid)).toEqual([10]));
  });

  it('ignores idle renderers and other processes', async () => {
    const [resting, other] = await Promise.all([runRenderer(REST), run(SPIN)]);
    watch(resting, answers);
    watch(other, answers);
    const greedy = await runRenderer(SPIN);
    watch(greedy, answers);

    await eventually(() => expect(niceOfThreads(greedy)).toEqual([10]));
    expect([niceOfThreads(resting), niceOfThreads(other)]).toEqual([[0], [0]]);
  });

  it.runIf(existsSync('/proc/self/autogroup'))(
    'lets a browser yield to the service while two renderers are busy, and no longer',
    async () => {
      const pid = await run(TWO_BUSY);
      const group = (): string => readFileSync(`/proc/${pid}/autogroup`, 'utf8');
      watch(pid, answers);

      await eventually(() => expect(group()).toMatch(/nice 3$/m));
      for (const renderer of findChildren(pid, '--type=renderer')) process.kill(renderer, 'SIGKILL');
      await eventually(() => expect(group()).toMatch(/nice 0$/m));
    },
  );

  it('kills a renderer that uses too much memory', async () => {
    const pid = await runRenderer(GROW);
    watch(pid, answers);

    await eventually(() => expect(children[0]?.signalCode).toBe('SIGKILL'));
  });

  // 2 GB of blobs in the browser process were counted for no renderer: the kernel would have killed the service as
  // well.
  it('kills a browser process that uses too much memory itself', async () => {
    const { kill, onUnresponsive } = watch(await run(GROW), answers);

    await eventually(() => expect(kill).toHaveBeenCalled());
    expect(onUnresponsive).not.toHaveBeenCalled();
  });

  // The browser answers, but every page that is opened in it hangs.
  it('kills a browser that cannot open pages any more', async () => {
    const { kill } = watch(await run(REST), answers, { hasLostPageStarters: () => true });

    await eventually(() => expect(kill).toHaveBeenCalled());
  });

  it('kills a browser that is unresponsive and idle, but not one that is late once', { timeout: 60_000 }, async () => {
    let calls = 0;
    const pid = await run(REST);
    const late = watch(pid, () => (calls++ === 0 ? new Promise(() => undefined) : answers()));
    await eventually(() => expect(calls).toBeGreaterThan(2));
    expect(late.kill).not.toHaveBeenCalled();

    process.kill(pid, 'SIGSTOP'); // an idle browser wakes each second, which may count as work
    const frozen = watch(pid, () => new Promise(() => undefined));
    await eventually(() => expect(frozen.kill).toHaveBeenCalled());
    expect([late, frozen].map(({ onUnresponsive }) => onUnresponsive.mock.calls.length)).toEqual([0, 1]);
  });

  it('gives a busy browser another chance to answer', { timeout: 60_000 }, async () => {
    let calls = 0;
    const pid = await run(SPIN);
    const busy = watch(pid, () => {
      calls++;
      return new Promise(() => undefined);
    });

    await eventually(() => expect(calls).toBe(3));
    expect(busy.kill).not.toHaveBeenCalled();
    await eventually(() => expect(busy.kill).toHaveBeenCalled());
    expect(calls).toBe(3);
  });

  // A page sent messages without pause while other programs kept the processors busy: the browser was killed twice.
  it('does not kill a browser whose answer waits behind its messages', { timeout: 60_000 }, async () => {
    let calls = 0;
    let messages = 0;
    const flooding = watch(
      await run(SPIN),
      () => {
        calls++;
        return new Promise(() => undefined);
      },
      { receivedCount: () => ++messages },
    );

    await eventually(() => expect(calls).toBe(5));
    expect(flooding.kill).not.toHaveBeenCalled();
  });
});

/** Returns the distinct priorities of the threads of this process. */
function niceOfThreads(pid: number): number[] {
  const values = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16]);
  });
  return [...new Set(values)];
}
