import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { eventually } from '../../support/eventually.ts';
import { capture } from '../../support/http.ts';
import { send } from '../../support/raw-http.ts';
import { readHealth, type RunningService, startService } from '../../support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The command line, and the command of the image, which needs no Node. */
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['dist/programs/cli/main.js', [process.execPath, join(ROOT, 'dist/programs/cli/main.js')]],
  ['deploy/capture-service.sh', ['bash', join(ROOT, 'deploy/capture-service.sh')]],
];
const NOBODY = 'http://127.0.0.1:9'; // the port of discarded data

describe('the health routes', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ POOL_SIZE: '3' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each([
    ['/health/live', { status: 'alive' }],
    ['/health/ready', { status: 'ready' }],
  ])('answer %s', async (path, body) => {
    const response = await fetch(service.url + path);

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(body);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/\S/),
    });
  });

  it('answer /health with the state that operators need', async () => {
    const before = await readHealth(service.url);
    await capture(service.url, { html_content: 'x' });

    const health = await readHealth(service.url);

    expect(health).toEqual({
      status: 'healthy',
      version: manifest.version,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      uptime_seconds: expect.any(Number),
      browser: {
        connected: true,
        version: expect.stringMatching(/Chrome\/\d+/),
        user_agent: expect.stringMatching(/ Chrome\/\d+\.0\.0\.0 /),
        build_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        age_days: expect.any(Number),
        sandbox: expect.any(Boolean),
        captures: before.browser.captures + 1,
        restarts: 0,
      },
      pool: { size: 3, busy: expect.any(Number), waiting: 0 },
      memory: { rss_bytes: expect.any(Number) },
    });
    expect(health.memory.rss_bytes).toBeGreaterThan(10_000_000);
  });

  it.each(COMMANDS)('are asked by %s health', async (_name, command) => {
    const { port } = new URL(service.url);

    expect(await health(command, [], { PORT: port })).toEqual({ code: 0, errors: '' });
    expect(await health(command, [`${service.url}/health/live`])).toEqual({ code: 0, errors: '' });
    expect(await health(command, [`${service.url}/nothing`])).toEqual({
      code: 1,
      errors: `${service.url}/nothing answers 404\n`,
    });
    expect(await health(command, [NOBODY])).toEqual({
      code: 1,
      errors: `${NOBODY}/health/ready does not answer\n`,
    });
    expect(await health(command, ['ftp://a'])).toEqual({
      code: 2,
      errors: expect.stringContaining('ftp://a is not the address of a service, such as http://127.0.0.1:8080.\n'),
    });
  });

  it.each(['/health', '/health/live', '/health/ready'])('answer HEAD %s without a body', async (path) => {
    expect(await send(service.url, { method: 'HEAD', path })).toMatchObject({ status: 200, body: '' });
  });

  it('are not logged', async () => {
    await fetch(`${service.url}/health/ready`);
    await fetch(`${service.url}/not-there`);
    await eventually(() => expect(service.logs()).toContainEqual(expect.objectContaining({ status: 404 })));

    expect(service.logs().filter(({ path }) => String(path).includes('health'))).toEqual([]);
    expect(service.logs().filter(({ path }) => path === '/ready')).toEqual([]);
  });
});

async function health(
  [program = '', ...args]: readonly string[],
  given: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: unknown; readonly errors: string }> {
  const ending = promisify(execFile)(program, [...args, 'health', ...given], { env, timeout: 20_000 });
  return ending.then(
    ({ stderr }) => ({ code: 0, errors: stderr }),
    (error: unknown) => ({
      code: Reflect.get(Object(error), 'code'),
      errors: String(Reflect.get(Object(error), 'stderr')),
    }),
  );
}
