import http, { type RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A server of one test. */
async function serve(answer: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

describe('a capture that fails', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), startService({ MAX_PIXELS: '10000000' })]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const captureOf = (path: string, fields: Fields = {}): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields });

  it.each([
    ['/redirect-loop', 'it redirects in a loop'],
    ['/empty', 'its server closed the connection without an answer'],
    ['/download', 'it is a download (application/octet-stream), not a web page'],
    ['/redirect-to?url=/download', 'it is a download (application/octet-stream), not a web page'],
    ['/no-content', 'its answer has no content'],
    ['/redirect-to?url=ftp://127.0.0.1/', 'it is a download or has no content'],
    ['/redirect-to?url=file:///etc/passwd', 'it redirects to something that is not a web page'],
  ])('reports that there is no page at %s', async (path, reason) => {
    expect(readError(await captureOf(path))).toEqual(navigationError(reason));
  });

  it('reports a refused connection', async () => {
    const answer = await capture(service.url, { url: `http://127.0.0.1:${await closedPort()}/` });

    expect(readError(answer)).toEqual(navigationError('its server refuses the connection'));
  });

  // The browser never paints such a document, and the capture held its page for a minute.
  it.each([
    ['after its headers', { 'content-length': '1000' }, '', /interrupted the answer/],
    ['before its first chunk', {}, '', /interrupted the answer/],
    ['because of its encoding', { 'content-encoding': 'gzip' }, '<p>plain text', /not encoded as its header/],
  ])('reports a document that fails %s', async (_what, headers, text, message) => {
    await using dead = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', ...headers });
      response.flushHeaders();
      if (text === '') setTimeout(() => response.destroy(), 50);
      else response.end(text);
    });

    const { status, body } = await capture(service.url, { url: dead.url });

    expect([status, JSON.parse(body.toString())]).toMatchObject([500, { error_type: 'NavigationError' }]);
    expect(body.toString()).toMatch(message);
  });

  it('warns of a document that is cut', async () => {
    await using cut = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '9000' });
      response.write(`<h1>Offers</h1>${'<p>a line of text</p>'.repeat(100)}`);
      setTimeout(() => response.destroy(), 50);
    });

    const { status, headers } = await capture(service.url, { url: cut.url });

    expect([status, headers.get('x-capture-warnings')]).toEqual([200, 'document_incomplete']);
  });

  it('reports an unknown host', async () => {
    const tooLong = 'a'.repeat(64); // no DNS query is sent for such a label
    const answer = await capture(service.url, { url: `http://${tooLong}.com/` });

    expect(readError(answer)).toEqual(navigationError('its host name does not resolve'));
  });

  it('reports a port that browsers block', async () => {
    const answer = await capture(service.url, { url: 'http://127.0.0.1:25/' });

    expect(readError(answer)).toEqual(navigationError('browsers block its port'));
  });

  it('never returns a picture of an error page that a script navigates to', async () => {
    const html_content = `<script>location.href = '${site.url('/empty')}'</script>`;

    const answer = await capture(service.url, { html_content });

    expect(readError(answer)).toEqual(navigationError('its server closed the connection without an answer'));
  });

  it.each(['/download', '/no-content'])('captures a page that stays when it navigates to %s', async (path) => {
    const script = `addEventListener('load', () => { location.href = '${site.url(path)}' })`;

    const answer = await capture(service.url, { html_content: `<script>${script}</script>` });

    expect(answer.status).toBe(200);
  });

  it.each(['/never', '/drip', '/endless'])('reports that %s does not load', async (path) => {
    const answer = await captureOf(path, { wait_for_timeout: 400 });

    expect(readError(answer)).toEqual({
      status: 500,
      error_type: 'TimeoutError',
      message: 'The page did not load in time',
      error_details: 'wait_for_timeout: the page load took longer than 400 ms',
    });
  });

  it.each<[string, Fields, RegExp]>([
    [
      'over MAX_PIXELS because of its viewport',
      { window_width: 4_000, window_height: 3_000 },
      /4000 x 3000 pixels, and at most/,
    ],
    [
      'over MAX_PIXELS because of its density',
      { window_width: 1_500, window_height: 900, pixel_density: 3 },
      /4500 x 2700/,
    ],
    [
      'over MAX_PIXELS because of its full page',
      { full_page: true, window_width: 4_000 },
      /4000 x 3000 pixels, and at most/,
    ],
    ['over MAX_PIXELS because of its element', { selector: 'body > div', pixel_density: 2 }, /2560 x 6000 pixels/],
  ])('reports that a picture is %s', async (_name, fields, details) => {
    expect(readError(await captureOf('/tall', fields))).toEqual(tooLarge(details));
  });

  it.each([
    ['webp', 16_383],
    ['jpeg', 65_500],
    ['avif', 16_384],
  ])('reports that a %s is limited to %d pixels a side', async (format, most) => {
    const page = (height: number): Fields => ({
      html_content: `<body style="margin:0"><div style="height:${height}px">`,
      full_page: true,
      window_width: 64,
      format,
    });

    const [fits, over] = await Promise.all([most, most + 1].map((height) => capture(service.url, page(height))));

    expect(fits?.headers.get('x-image-height')).toBe(`${most}`);
    expect(over && readError(over)).toEqual(
      tooLarge(new RegExp(`64 x ${most + 1} pixels, and an? ${format} has at most ${most} pixels a side$`)),
    );
  });

  it('does not stop later captures', async () => {
    expect((await captureOf('/plain')).status).toBe(200);
  });
});

function navigationError(reason: string): object {
  return { status: 500, error_type: 'NavigationError', message: `The page could not be loaded: ${reason}` };
}

function tooLarge(details: RegExp): object {
  return {
    status: 400,
    error_type: 'ResultTooLargeError',
    message: 'The result would be larger than allowed',
    error_details: expect.stringMatching(details),
  };
}

/** A port that was open a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  return address.port;
}
