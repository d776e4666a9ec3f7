import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { followPageStarters } from '../../../src/browser/process/helper-processes.ts';
import { eventually } from '../../support/eventually.ts';
import { childrenOf } from '../../support/processes.ts';

/** A browser that starts a starter, which starts what looks the same. */
const SCRIPTS = {
  BROWSER: 'sh -c "$STARTER" - --type=zygote & wait',
  STARTER: 'sh -c "$RENDERER" - --type=zygote & echo ready; sleep 60; exit',
  RENDERER: 'sleep 60; exit',
};

describe('the processes that pages come from', () => {
  let browser: ChildProcess | undefined;
  afterEach(() => {
    if (browser?.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
  });

  // A renderer has the command line of the process that it was forked from for a moment: its end is no loss.
  it("are the browser's own children, and not what those have started", async () => {
    browser = spawn('sh', ['-c', SCRIPTS.BROWSER], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...SCRIPTS },
    });
    const { pid = 0, stdout } = browser;
    if (stdout !== null) await once(stdout, 'data');
    const starter = livingChildren(pid)[0] ?? 0;
    const renderer = livingChildren(starter)[0] ?? 0;
    const hasOneEnded = followPageStarters(pid);
    expect(hasOneEnded()).toBe(false);

    process.kill(renderer, 'SIGKILL');
    await eventually(() => expect(livingChildren(starter)).not.toContain(renderer));
    expect(hasOneEnded()).toBe(false);
    process.kill(starter, 'SIGKILL');

    await eventually(() => expect(hasOneEnded()).toBe(true));
  });
});

function livingChildren(parent: number): number[] {
  return childrenOf(parent)
    .filter(({ isZombie }) => !isZombie)
    .map(({ pid }) => pid);
}
