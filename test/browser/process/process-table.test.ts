import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cpuMsOf, createProcessTable, isRunning } from '../../../src/browser/process/process-table.ts';

/** Waits for a line, and then becomes the leader of a group of its own, with the same process id. */
const LATE_LEADER =
  'read line; exec setsid "$0" -e "console.log(1); setInterval(() => {}, 1000)" -- --type=renderer';

describe('the process table', () => {
  // A process id is given out again: a renderer that got the one of a stranger was never watched.
  it('looks anew at strangers when it has not looked for a while', async () => {
    const child = spawn('sh', ['-c', LATE_LEADER, process.execPath], { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    let now = 0;
    const table = createProcessTable(pid, () => now);
    expect(table.renderers()).toEqual([]);

    child.stdin.write('\n');
    await once(child.stdout, 'data'); // it leads its group now
    expect(table.renderers()).toEqual([]);
    now = 1_001;

    expect(table.renderers()).toEqual([expect.objectContaining({ pid })]);
  });

  // 0 passed for a process that stands still: a busy browser was ended after two misses instead of three.
  it('knows nothing of the time that a process has used which is not there', () => {
    const never = 2 ** 22 + 1; // beyond the largest id that Linux gives

    expect(cpuMsOf(never)).toBeUndefined();
    expect(isRunning(never)).toBe(false);
    expect(cpuMsOf(process.pid)).toBeGreaterThan(0);
  });
});
