import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const LOG = new URL('../src/log.ts', import.meta.url).href;

describe('createLog', () => {
  // Lines are kept for a moment, to be written together.
  it('has written every line when the process ends', async () => {
    const script = `
      const { createLog } = await import('${LOG}');
      const log = createLog({ level: 'info', format: 'json' });
      for (let n = 1; n <= 3; n++) log.info({ n }, 'line');
      process.exit(3);`;

    const failure: unknown = await promisify(execFile)(process.execPath, ['-e', script]).catch(
      (error: unknown) => error,
    );

    expect(failure).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/"n":1.*\n.*"n":2.*\n.*"n":3.*\n$/),
    });
  });
});
