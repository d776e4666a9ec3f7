import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openWatches } from '../../../src/parts/watches/stores/sqlite-watches.ts';
import { limitsOf, watchOf } from '../../support/watches.ts';

const PROGRAM = join(import.meta.dirname, '../../support/full-disk-watches.ts');

describe('watches in SQLite on a full disk', () => {
  it('are refused with the reason, and lose nothing: they go on when there is room', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'full disk-'));
    const command = `ulimit -f 512; exec "$0" "$1" "$2"`;
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, PROGRAM, folder]);

    const { added, listed, reason } = JSON.parse(stdout);
    expect([added > 0, added < 10_000, listed]).toEqual([true, true, added]);
    expect(reason).toMatch(/disk/);

    const store = await openWatches(folder);
    expect(store.add(watchOf('later'), limitsOf(10_000))).toBe(true);
    expect(store.takeDue(600_000, 600_001)?.id).toBe('000000');
    expect(store.list(undefined, { limit: 10_000 })).toHaveLength(added + 1);
    store.close();
    await rm(folder, { recursive: true });
  });
});
