import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const setUp = () => promisify(execFile)(process.execPath, ['scripts/setup.mjs'], { cwd: ROOT });

describe('the set-up', () => {
  it('does nothing the second time, so that `npm start` takes a second', async () => {
    await setUp(); // `npm test` has done it already

    const { stdout, stderr } = await setUp();

    expect(stdout + stderr).toMatch(/^setup: browser: [^\n]+\n$/);
  });
});
