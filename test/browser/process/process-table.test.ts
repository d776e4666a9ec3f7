import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProcessTable } from '../../../src/browser/process/process-table.ts';

/** Waits for a line, and then becomes the leader of a new process group, with the same process id. */
const LATE_LEADER =
  'read line; exec setsid "$0" -e "console.log(1); setInterval(() => {}, 1000)" -- --type=renderer';

describe('the process table', () => {
  // Process ids are reused: a renderer with the id of an earlier process was never watched.
  it('reads unknown processes again after a while', async () => {
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
});
