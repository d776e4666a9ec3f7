import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const LOG = new URL('../../../src/core/ground/log.ts', import.meta.url).href;

describe('createLog', () => {
  // Lines are buffered briefly to write them in batches.
  it('has written every line when the process ends', async () => {
    const ended = await run('for (let n = 1; n <= 3; n++) log.info({ n }, "line"); process.exit(3);');

    expect(ended).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/"n":1.*\n.*"n":2.*\n.*"n":3.*\n$/),
    });
  });

  it('drops lines instead of using more memory, and logs how many', async () => {
    const { stdout } = await run(
      'for (let n = 0; n < 60_000; n++) log.info("x".repeat(100)); setTimeout(() => process.exit(3), 3_000);',
    );

    expect(stdout.split('\n').length).toBeLessThan(60_000);
    expect(stdout).toMatch(/"lines":\d+,"msg":"log lines were dropped: the log reader is too slow"/);
  });

  it('does not stop a process whose log cannot be written', async () => {
    const ended = await run('log.info("line"); setTimeout(() => process.exit(3), 1_000);', '>/dev/full');

    expect(ended).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^The log can't be written: .*ENOSPC.*\n$/),
    });
  });
});

async function run(body: string, redirection = ''): Promise<{ code: number; stdout: string; stderr: string }> {
  const script = `
    const { createLog } = await import('${LOG}');
    const log = createLog({ level: 'info', format: 'json' });
    ${body}`;
  const options = { env: { ...process.env, SCRIPT: script }, maxBuffer: 2 ** 27, timeout: 25_000 };
  const running = promisify(exec)(`"${process.execPath}" -e "$SCRIPT" ${redirection}`, options);
  // The exit code is not 0, which exec() treats as a failure.
  return await running.then(
    () => Promise.reject(new Error('it ended by itself')),
    (ended) => ended,
  );
}
