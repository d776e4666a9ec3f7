import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR } from '../../support/colour.ts';
import { invalid, readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { readPicture } from '../../support/pixels.ts';
import { type RawAnswer, send } from '../../support/raw-http.ts';
import { SELF_SIGNED } from '../../support/self-signed.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'cafe'.repeat(16);
const SECRET = 'a-secret-for-links';

describe('scripts, waits and tolerated failures', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite(),
      startService({ AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: SECRET, SIGNED_URL_ALLOW: 'custom_js' }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields }, { token: TOKEN });
  const sourceOf = async (path: string, fields: Readonly<Record<string, unknown>>): Promise<string> =>
    (await captureOf(path, { format: 'html', ...fields })).body.toString();

  const signed = (fields: Readonly<Record<string, string>>): Promise<RawAnswer> =>
    send(service.url, { method: 'GET', path: `/capture?${signedQuery(fields)}` });

  it('waits for delay_capture', async () => {
    const late = `setTimeout(() => { document.body.innerHTML = '<p>late'; }, 300)`;

    const startedAt = performance.now();
    const source = await sourceOf('/colours', { custom_js: late, delay_capture: 500 });

    expect(source).toContain('<p>late');
    expect(performance.now() - startedAt).toBeGreaterThan(500);
  });

  it.each([
    ['window.ready'],
    ['window.ready // not yet'],
    ['ready === true'],
    ['() => window.ready'],
    ['async () => window.ready'],
    ['Promise.resolve(window.ready)'],
  ])('waits for %s', async (wait_for_function) => {
    const custom_js = `setTimeout(() => { window.ready = true; document.title = 'late'; }, 300)`;

    expect(await sourceOf('/colours', { custom_js, wait_for_function })).toContain('<title>late');
  });

  // Each took 5 s longer, with a warning.
  it.each([
    ['polls changing addresses', `let n = 0; const poll = () => ask('/answer-after?ms=50&' + n++).then(poll); poll();`],
    ['has an open request', `ask('/never');`],
    ['begins a request at intervals', `setInterval(() => ask('/answer-after?ms=60&' + Math.random()), 20);`],
    [
      'draws all the time',
      `const draw = () => { const until = performance.now() + 9; while (performance.now() < until); requestAnimationFrame(draw); }; draw();`,
    ],
  ])('waits for nothing else once the condition is met, if the page %s', async (_what, script) => {
    const html_content = `<p>waits</p><script>
      const ask = (path) => fetch('${site.url('')}' + path, { mode: 'no-cors' });
      ${script}
      ask('/answer-after?ms=1200').then(() => { window.ready = true; document.querySelector('p').textContent = 'is ready'; });</script>`;

    const answer = await capture(
      service.url,
      { html_content, wait_for_function: 'window.ready', format: 'markdown', main_content: false },
      { token: TOKEN },
    );

    expect(answer.body.toString()).toContain('is ready');
    expect(answer.headers.get('x-capture-warnings')).toBeNull();
  });

  it('waits as usual if the condition is met at load', async () => {
    const html_content = `<p>waits</p><script>
      fetch('${site.url('/answer-after?ms=900')}', { mode: 'no-cors' }).then(() => { document.querySelector('p').textContent = 'is ready'; });</script>`;

    const answer = await capture(
      service.url,
      { html_content, wait_for_function: 'document.body', format: 'markdown', main_content: false },
      { token: TOKEN },
    );

    expect(answer.body.toString()).toContain('is ready');
  });

  it('continues to wait after a navigation of the page', async () => {
    const source = await sourceOf('/colours', {
      custom_js: `setTimeout(() => { location.href = '/never-idle'; }, 100)`,
      wait_for_function: 'document.querySelector("#box")',
    });

    expect(source).toContain('id="box"');
  });

  it.each(['false', 'neverDefined', 'new Promise(() => {})'])('gives up on %s in time', async (wait_for_function) => {
    const answer = await captureOf('/colours', { wait_for_function, wait_for_timeout: 500 });

    expect(readError(answer)).toEqual({
      status: 500,
      error_type: 'TimeoutError',
      message: 'The condition of wait_for_function was not met in time',
      error_details: 'wait_for_function: returned no truthy value within 500 ms',
    });
  });

  it.each(['a b', 'return true', '{', 'a;'])('refuses to wait for %s', async (wait_for_function) => {
    const before = site.requests.length;

    const error = readError(await captureOf('/colours', { wait_for_function }));

    expect(error).toMatchObject({ status: 400, error_type: 'ValidationError' });
    expect(error.error_details).toMatch(/^wait_for_function: must be a JavaScript expression \(SyntaxError: /);
    expect(site.requests.length).toBe(before);
  });

  it('runs custom_js like a script of the page, and awaits its promises', async () => {
    const custom_js = `await fetch('/answer-after?ms=200'); document.title = 'awaited ' + (typeof poll);`;

    expect(await sourceOf('/poll-finite', { custom_js })).toContain('<title>awaited function');
  });

  it('lets custom_js navigate the page', async () => {
    const answer = await captureOf('/plain', { custom_js: `location.href = '/colours'` });

    expect((await readPicture(answer.body)).pixel(50, 50)).toEqual([...COLOUR.red, 255]);
  });

  it.each([
    [`throw new Error('no such button')`, /^custom_js: Error: no such button$/],
    [`throw 'text'`, /^custom_js: text$/],
    [`await Promise.reject(new TypeError('later'))`, /^custom_js: TypeError: later$/],
    ['document.querySelector("#none").click()', /^custom_js: TypeError: Cannot read properties of null/],
    ['a b', /^custom_js: SyntaxError: /],
    [`throw new Error('${'x'.repeat(1_000)}')`, /^custom_js: Error: x{193}$/],
  ])('reports the exception of %s', async (custom_js, details) => {
    const { error_details: errorDetails } = readError(await captureOf('/colours', { custom_js }));

    expect(errorDetails).toMatch(details);
  });

  it.each(['await new Promise(() => {})', 'while (true) {}'])('ends %s in time', async (custom_js) => {
    const answer = await captureOf('/colours', { custom_js, wait_for_timeout: 500 });

    expect(readError(answer)).toMatchObject({ status: 500, error_type: 'TimeoutError' });
  });

  it.each([404, 500])('fails for a page with status %d only if requested', async (status) => {
    const [refused, captured] = await Promise.all([
      captureOf(`/status/${status}`, { fail_on_http_error: true }),
      captureOf(`/status/${status}`, {}),
    ]);

    expect(readError(refused)).toMatchObject({
      status: 500,
      error_type: 'NavigationError',
      message: `The page answered with status ${status}`,
    });
    expect(captured.headers.get('x-target-status')).toBe(`${status}`);
  });

  it('accepts successful pages and supplied markup with fail_on_http_error', async () => {
    const answers = await Promise.all([
      captureOf('/colours', { fail_on_http_error: true }),
      capture(service.url, { html_content: '<p>', fail_on_http_error: true }, { token: TOKEN }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('accepts an untrusted certificate only if requested', async () => {
    const server = createServer(SELF_SIGNED, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>private');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const body = { url: `https://127.0.0.1:${port}/`, format: 'html' };

    const refused = await capture(service.url, body, { token: TOKEN });
    const taken = await capture(service.url, { ...body, ignore_https_errors: true }, { token: TOKEN });
    server.close();
    server.closeAllConnections();

    expect(readError(refused)).toMatchObject({ error_type: 'NavigationError' });
    expect(taken.body.toString()).toContain('<p>private');
  });

  describe('in a signed URL', () => {
    it.each([
      ['custom_headers', '{"X-A":"1"}'],
      ['cookies', '[]'],
      ['http_auth', '{"username":"a","password":"b"}'],
    ])('%s is refused without SIGNED_URL_ALLOW', async (field, value) => {
      const answer = await signed({ url: site.url('/colours'), [field]: value });

      expect(readError(answer)).toEqual(
        invalid(`${field}: is not accepted in a signed URL unless SIGNED_URL_ALLOW names it`),
      );
    });

    it('a field in SIGNED_URL_ALLOW is accepted', async () => {
      const fields = { url: site.url('/colours'), format: 'html', custom_js: 'document.title = "signed"' };

      expect((await signed(fields)).body).toContain('<title>signed');
    });

    it('the restriction does not apply to a query with the token', async () => {
      const query = new URLSearchParams({ url: site.url('/colours'), format: 'html', cookies: '[]' });
      const headers = { authorization: `Bearer ${TOKEN}` };

      const answer = await send(service.url, { method: 'GET', path: `/capture?${query}`, headers });

      expect(answer.status).toBe(200);
    });
  });
});

function signedQuery(fields: Readonly<Record<string, string>>): string {
  const names = Object.keys(fields).toSorted();
  const text = names.map((name) => `${name}=${fields[name]}`).join('&');
  const signature = createHmac('sha256', SECRET).update(text).digest('base64url');
  return new URLSearchParams({ ...fields, signature }).toString();
}
