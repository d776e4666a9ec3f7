import 'sharp'; // sets an environment variable, which no test may leave behind
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { browserEnvironment } from '../../../src/core/browser/find/browser-environment.ts';
import { loadConfig } from '../../../src/core/config/load.ts';
import { createLog } from '../../../src/core/ground/log.ts';
import { CAPTURE_ROUTE, DEVICES_ROUTE, SIGN_ROUTE, STATE_ROUTES } from '../../../src/core/http/routes.ts';
import { partsWith } from '../../../src/core/part.ts';
import { createService, type Service } from '../../../src/core/service/create-service.ts';
import { signedQuery } from '../../../src/core/access/signature.ts';
import { eventually } from '../../support/eventually.ts';

vi.mock('../../../src/features.ts', () => ({ FEATURES: [] }));

const NO_SETTINGS = { rows: {} };
const SETTINGS = {
  PORT: '0',
  AUTH_TOKEN: 'a-token-of-this-test-of-32-letters',
  URL_SIGNING_SECRET: 'a-secret-of-this-test-of-32-letters',
  RATE_LIMIT_CAPTURE: '6 per hour',
  POOL_SIZE: '1',
};
const PAGE = { html_content: '<body style="background: green">', window_width: 200, window_height: 100 };

/** A service with an empty list of parts, and captures without features. */
describe('the core alone', () => {
  let service: Service;
  let url: string;
  beforeAll(async () => {
    const list = { parts: partsWith(NO_SETTINGS), routes: [CAPTURE_ROUTE, SIGN_ROUTE, DEVICES_ROUTE, ...STATE_ROUTES] };
    const home = { locale: 'en-US', timezone: 'UTC' };
    const log = createLog({ level: 'silent', format: 'json' });
    service = await createService(loadConfig(SETTINGS, NO_SETTINGS), browserEnvironment(process.env, home), log, {
      list,
    });
    const { port } = await service.start();
    url = `http://127.0.0.1:${port}`;
    await eventually(async () => {
      const { status } = await fetch(`${url}/health/ready`);
      if (status !== 200) throw new Error(`not ready: ${status}`);
    });
  });
  afterAll(() => service.close());

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
