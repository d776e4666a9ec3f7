import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProcessTable, heldOutsideRenderers } from '../../../../src/core/browser/process/process-table.ts';

/** Waits for a line, and then becomes the leader of a new process group, with the same process id. */
const LATE_LEADER = 'read line; exec setsid "$0" -e "console.log(1); setInterval(() => {}, 1000)" -- --type=renderer';

/** A program that holds this much memory. */
const holding = (megabytes: number, type: string): string =>
  `const held = Buffer.alloc(${megabytes * 1024 ** 2}, 1); console.log(held.length); setInterval(() => held, 1000) // ${type}`;

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
    now = 600; // it is read more often than that
    expect(table.renderers()).toEqual([]);
    now = 1_001;

    expect(table.renderers()).toEqual([expect.objectContaining({ pid })]);
  });

  it('tells the memory of a browser without its renderers', async () => {
    const start = `"$0" -e "$1" -- --type=renderer & exec "$0" -e "$2"`;
    const child = spawn('sh', ['-c', start, process.execPath, holding(300, ''), holding(100, '')], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const pid = child.pid ?? 0;
    onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
    let lines = 0;
    for await (const text of child.stdout) if ((lines += String(text).trim().split('\n').length) === 2) break;

    const megabytes = heldOutsideRenderers(pid) / 1024 ** 2;
    expect(megabytes).toBeGreaterThan(100);
    expect(megabytes).toBeLessThan(250);
  });
});
