import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { groupEnded, killGroup } from '../../../../src/core/browser/process/spawn-browser.ts';

/** Starts a group whose leader has ended, while one of its children still runs. */
async function startGroup(): Promise<{ readonly group: number; readonly child: number }> {
  const leader = spawn('/bin/sh', ['-c', 'sleep 60 >/dev/null & echo $!; exit 0'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(leader, 'exit');
  const [line]: unknown[] = await once(createInterface({ input: leader.stdout }), 'line');
  await exited;
  return { group: leader.pid ?? 0, child: Number(line) };
}

describe.runIf(process.platform === 'linux')('a process group', () => {
  let group = 0;
  afterEach(() => {
    if (group !== 0) killGroup(group);
  });

  it('has ended only when the children of its leader have ended, too', async () => {
    const started = await startGroup();
    ({ group } = started);
    let hasEnded = false;
    const ended = groupEnded(group).then(() => (hasEnded = true));

    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    process.kill(started.child, 'SIGKILL');
    await ended;

    expect(existsSync(`/proc/${started.child}/cwd`)).toBe(false);
  });

  it('has ended after it was killed', async () => {
    const started = await startGroup();
    ({ group } = started);

    killGroup(group);
    await groupEnded(group);

    expect(existsSync(`/proc/${started.child}/cwd`)).toBe(false);
  });
});
