import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../support/fill-cache.ts', import.meta.url));
const MAX_BYTES = 64_000_000;
const PROCESS_SHARE = 0.1;

interface Report {
  readonly before: number;
  readonly peak: number;
  readonly kept: number;
}

describe('a memory cache that is filled ten times over', () => {
  // Without counting evicted bytes and triggering collections, memory grew by 200 MB.
  it('uses no more memory than its limit and a tenth of the process', { timeout: 60_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, `${MAX_BYTES}`]);

    const { before, peak, kept }: Report = JSON.parse(stdout);
    expect(kept).toBeGreaterThan(0.9 * MAX_BYTES);
    expect(peak - before).toBeLessThan(MAX_BYTES + PROCESS_SHARE * peak);
  });
});
