import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedQuery } from '../../../src/core/access/signature.ts';
import { eventually } from '../../support/eventually.ts';

const CORE = join(import.meta.dirname, '../../../dist/core');
const SETTINGS = {
  PORT: '0',
  AUTH_TOKEN: 'a-token-of-this-test-of-32-letters',
  URL_SIGNING_SECRET: 'a-secret-of-this-test-of-32-letters',
  RATE_LIMIT_CAPTURE: '6 per hour',
  POOL_SIZE: '1',
};
const PAGE = { html_content: '<body style="background: green">', window_width: 200, window_height: 100 };

/** The built service with empty lists, in a process of its own: other tests have loaded the features. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const none = { format: 'module', source: 'export const FEATURES = [];', shortCircuit: true };
  registerHooks({ load: (url, context, next) => url.endsWith('/dist/features.js') ? none : next(url, context) });
  const load = (path) => import(${JSON.stringify(CORE)} + path);
  const { CAPTURE_ROUTE, DEVICES_ROUTE, SIGN_ROUTE, STATE_ROUTES } = await load('/http/routes.js');
  const parts = (await load('/part.js')).partsWith({ rows: {} });
  const routes = [CAPTURE_ROUTE, SIGN_ROUTE, DEVICES_ROUTE, ...STATE_ROUTES];
  const config = (await load('/config/load.js')).loadConfig(${JSON.stringify(SETTINGS)}, { rows: {} });
  const { browserEnvironment } = await load('/browser/find/browser-environment.js');
  const environment = browserEnvironment(process.env, { locale: 'en-US', timezone: 'UTC' });
  const log = (await load('/ground/log.js')).createLog({ level: 'silent', format: 'json' });
  const { createService } = await load('/service/create-service.js');
  const service = await createService(config, environment, log, { list: { parts, routes } });
  console.log((await service.start()).port);
  process.once('SIGTERM', () => service.close().then(() => process.exit()));`;

describe('the core alone', () => {
  let service: ChildProcess;
  let url: string;
  beforeAll(async () => {
    service = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (service.stdout === null) throw new Error('no output');
    const [port] = await once(createInterface(service.stdout), 'line');
    url = `http://127.0.0.1:${port}`;
    await eventually(async () => {
      const { status } = await fetch(`${url}/health/ready`);
      if (status !== 200) throw new Error(`not ready: ${status}`);
    });
  });
  afterAll(async () => {
    service.kill();
    await once(service, 'exit');
  });

  const capture = (fields: object): Promise<Response> =>
    fetch(`${url}/capture`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${SETTINGS.AUTH_TOKEN}` },
      body: JSON.stringify(fields),
    });

  it('captures a picture', async () => {
    const answer = await capture(PAGE);

    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await answer.bytes()).length).toBeGreaterThan(100);
  });

  it('refuses a field and a format of a feature by its name', async () => {
    const answers = [
      await capture({ ...PAGE, actions: [] }),
      await capture({ ...PAGE, format: 'pdf' }),
      await capture({ markdown_content: '# A' }),
    ];

    expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))).toEqual([
      [400, expect.stringContaining('actions')],
      [400, expect.stringContaining('format')],
      [400, expect.stringContaining('markdown_content')],
    ]);
  });

  it('captures by a signed link', async () => {
    const expires = String(Math.floor(Date.now() / 1_000) + 600);
    const fields = { ...PAGE, window_width: '200', window_height: '100', expires };
    const query = signedQuery(new Map(Object.entries(fields)), SETTINGS.URL_SIGNING_SECRET);

    expect((await fetch(`${url}/capture?${query}`)).headers.get('content-type')).toBe('image/png');
  });

  it('holds its rate limit', async () => {
    const statuses = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await capture({ ...PAGE, format: 'html' })).status);

    expect(statuses).toContain(429);
  });

  it('has none of the routes of parts', async () => {
    const paths = ['/jobs', '/compare', '/usage', '/metrics', '/mcp', '/', '/templates'];

    expect(await Promise.all(paths.map(async (path) => (await fetch(url + path)).status))).toEqual(
      paths.map(() => 404),
    );
  });
});
