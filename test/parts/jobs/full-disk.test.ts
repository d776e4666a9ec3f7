import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../../support/full-disk.ts');

describe('jobs in SQLite on a full disk', () => {
  // The same job used to be handed out and captured repeatedly, and was never marked as done.
  it('are claimed at most once: a claim that cannot be written is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'full disk-'));
    const command = `ulimit -f 512; exec "$0" "$1" "$2"`;

    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, PROGRAM, folder]);

    const { taken, claimed } = JSON.parse(stdout);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(10_000);
    expect(claimed.length).toBeLessThan(20);
    expect(new Set(claimed).size).toBe(claimed.length);
    await rm(folder, { recursive: true });
  });
});
