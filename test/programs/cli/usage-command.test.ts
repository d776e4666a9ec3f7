import { createServer } from 'node:http';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/programs/cli/exit.ts';
import { usageCommand } from '../../../src/programs/cli/usage-command.ts';

const DAY = { date: '2026-11-02', captures: 12, cached: 3, failed: 0, jobs: 0, bytes: 1_234_567 };
const USAGE = {
  key: 'shop',
  days: [DAY, { ...DAY, date: '2026-11-23', captures: 4, failed: 1 }],
  quota: { limit: 100, used: 16, resets_at: '2026-12-01T00:00:00.000Z' },
};

interface Requested {
  readonly path: string | undefined;
  readonly token: string | undefined;
}

/** Runs the command with a service that gives this answer. */
async function run(args: readonly string[], status: number, body: object | string) {
  const requests: Requested[] = [];
  await using server = createServer(({ url, headers }, response) => {
    requests.push({ path: url, token: headers.authorization });
    response
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const [stdout, errors] = [new PassThrough(), [] as string[]];
  const code = await usageCommand(args, {
    environment: { CAPTURE_SERVICE: `http://127.0.0.1:${port}/below/`, CAPTURE_TOKEN: 'secret' },
    stdin: new PassThrough(),
    stdout,
    report: (line) => void errors.push(line),
    signal: new AbortController().signal,
  });
  stdout.end();
  return { code, output: await text(stdout), errors, requests };
}

describe('usageCommand', () => {
  it('prints the days with their sum, and the quota', async () => {
    const { code, output, requests } = await run(['--from', '2026-11-01', '--key', 'shop'], 200, USAGE);

    expect(code).toBe(EXIT.ok);
    expect(requests).toEqual([{ path: '/below/usage?from=2026-11-01&key=shop', token: 'Bearer secret' }]);
    expect(output).toBe(
      [
        'date        captures  cached  failed  jobs    bytes',
        '2026-11-02        12       3       0     0  1234567',
        '2026-11-23         4       3       1     0  1234567',
        'total             16       6       1     0  2469134',
        'Key shop: 16 of 100 captures used, resets at 2026-12-01T00:00:00.000Z',
        '',
      ].join('\n'),
    );
  });

  it('prints the answer of the service with --json', async () => {
    const { output } = await run(['--json'], 200, { ...USAGE, quota: null });

    expect(JSON.parse(output)).toEqual({ ...USAGE, quota: null });
  });

  it('says that there is no usage and no quota', async () => {
    const { output } = await run([], 200, { key: 'default', days: [], quota: null });

    expect(output).toBe('No usage on these days\nKey default: no quota\n');
  });

  it.each([
    [400, 'ValidationError', EXIT.failed],
    [403, 'ScopeError', EXIT.notAllowed],
  ])('prints the error of the service with status %d', async (status, type, expected) => {
    const body = { status: 'error', message: 'No', error_type: type, error_details: 'from: is wrong' };

    expect(await run([], status, body)).toMatchObject({
      code: expected,
      output: '',
      errors: [`${type}: No (from: is wrong)`],
    });
  });

  it.each([
    ['a page of a proxy', '<h1>Sign in</h1>'],
    ['a cut answer', '{"key": "shop", "days": ['],
    ['another interface', '{"usage": 5}'],
  ])('says that another program answered: %s', async (_what, body) => {
    expect(await run([], 200, body)).toMatchObject({
      code: EXIT.unavailable,
      output: '',
      errors: [expect.stringMatching(/^UnexpectedAnswerError: /)],
    });
  });

  it('names the missing service', async () => {
    const context = {
      environment: {},
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      report: () => undefined,
    };

    await expect(usageCommand([], { ...context, signal: AbortSignal.abort() })).rejects.toThrow(
      'The service is missing: set its URL with --service or CAPTURE_SERVICE.',
    );
  });
});
