import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { followPageStarters } from '../../../../src/core/browser/process/helper-processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { childrenOf } from '../../../support/processes.ts';

/** A fake browser whose child starts processes with the same command line. */
const SCRIPTS = {
  BROWSER: 'sh -c "$STARTER" - --type=zygote & wait',
  STARTER: 'sh -c "$RENDERER" - --type=zygote & echo ready; sleep 60; exit',
  RENDERER: 'sleep 60; exit',
};

describe('the processes that renderers are forked from', () => {
  let browser: ChildProcess | undefined;
  afterEach(() => {
    if (browser?.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
  });

  // A new renderer briefly has the command line of the process that it was forked from. Its end is no loss.
  it('are direct children of the browser, not their descendants', async () => {
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
