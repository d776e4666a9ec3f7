import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { send, sendJson } from '../../support/raw-http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const MAX_BODY_BYTES = 4_000_000;
const EITHER = 'Either url or html_content must be provided';
const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const UNSUPPORTED = {
  status: 415,
  error_type: 'UnsupportedMediaTypeError',
  message: 'The request body must be application/json in UTF-8',
};

describe('a refused request', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ MAX_BODY_BYTES: `${MAX_BODY_BYTES}` });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each([
    ['nothing to capture', '{}', EITHER],
    ['no body at all', '', EITHER],
    ['two sources to capture', '{"url":"http://a/","html_content":"b"}', like(/^Only one of url and html_content/)],
    ['truncated JSON', '{"url":', 'The body must be valid JSON'],
    ['two JSON values', '{}{}', 'The body must be valid JSON'],
    ['a NUL', '{"url":"\u0000"}', 'The body must be valid JSON'],
    ['an array', '[]', 'The request must be a JSON object'],
    ['a string', '"url"', 'The request must be a JSON object'],
    ['null', 'null', 'The request must be a JSON object'],
    ['a misspelt field', '{"html_content":"x","widow_width":9}', like(/^widow_width: .*did you mean window_width\?$/)],
    ['an unknown field', '{"html_content":"x","teapot":9}', 'teapot: is not a known field'],
    ['__proto__', '{"html_content":"x","__proto__":{"format":"pdf"}}', like(/^__proto__: is not a known field/)],
    [
      '__proto__ in a field',
      '{"html_content":"x","files":{"__proto__":"YQ=="}}',
      'files.__proto__: is no allowed name',
    ],
    ['constructor', '{"html_content":"x","constructor":{}}', like(/^constructor: is not a known field/)],
    ['another scheme', '{"url":"file:///etc/passwd"}', like(/^url: must be an absolute http: or https: address/)],
    ['a javascript: URL', '{"url":"javascript:alert(1)"}', like(/^url: must be an absolute http: or https: address/)],
    ['a relative URL', '{"url":"/page"}', like(/^url: must be an absolute http: or https: address/)],
    ['a URL that is too long', `{"url":"http://a/${'a'.repeat(8_192)}"}`, like(/at most 8192 characters$/)],
    [
      'an unknown format',
      '{"html_content":"x","format":"gif"}',
      'format: must be one of png, jpeg, webp, avif, pdf, html, markdown, mhtml, single_html',
    ],
    ['text in place of a boolean', '{"html_content":"x","full_page":"true"}', 'full_page: must be true or false'],
    [
      'an invalid width',
      '{"html_content":"x","window_width":0}',
      'window_width: must be a whole number from 1 to 7680',
    ],
    [
      'an invalid quality',
      '{"html_content":"x","image_quality":101}',
      'image_quality: must be a whole number from 0 to 100',
    ],
    ['an invalid density', '{"html_content":"x","pixel_density":5.1}', 'pixel_density: must be a number from 0.1 to 5'],
    [
      'an unknown paper size',
      '{"html_content":"x","pdf_format":"A9"}',
      like(/^pdf_format: must be one of A0, A1, .*Ledger$/),
    ],
    ['two invalid fields', '{"format":"gif","full_page":1,"url":"http://a/"}', like(/^format: .*; full_page: must be/)],
    ['100,000 levels', '['.repeat(100_000), 'The body may be nested at most 32 levels deep'],
    ['a million members', `[${'0,'.repeat(999_999)}0]`, 'The body may have at most 10000 members'],
  ])('reports the problem with %s', async (_name, body, details) => {
    const answer = await sendJson(service.url, body);

    expect(readError(answer)).toEqual(invalid(details));
  });

  it('refuses a body that is not UTF-8', async () => {
    const latin1 = Buffer.from('{"html_content":"caf\u00e9"}', 'latin1');

    expect(readError(await sendJson(service.url, latin1))).toEqual(invalid('The body must be JSON in UTF-8'));
  });

  it.each([
    ['nothing to capture', '', EITHER],
    ['2,000 parameters', `?${'a=1&'.repeat(2_000)}`, 'The query may have at most 200 parameters'],
    ['an escape that is not UTF-8', '?url=http://a/%FF', 'The query has percent-encoding that is not valid UTF-8'],
    ['an incomplete escape', '?url=%2', 'The query has percent-encoding that is not valid UTF-8'],
    ['an unknown field', '?html_content=x&ful_page=1', like(/^ful_page: .*did you mean full_page\?$/)],
    ['__proto__', '?html_content=x&__proto__=1', like(/^__proto__: is not a known field/)],
    ['a bracket', '?html_content=x&full_page[]=true', like(/^full_page\[\]: is not a known field/)],
    ['yes as a boolean', '?html_content=x&full_page=yes', 'full_page: must be true or false'],
    ['an empty boolean', '?html_content=x&full_page=', 'full_page: must be true or false'],
    ['a hexadecimal number', '?html_content=x&window_width=0x10', like(/^window_width: must be a whole number/)],
    ['a number with an exponent', '?html_content=x&window_width=1e3', like(/^window_width: must be a whole number/)],
  ])('reports the problem with a query of %s', async (_name, query, details) => {
    const answer = await send(service.url, { method: 'GET', path: `/capture${query}` });

    expect(readError(answer)).toEqual(invalid(details));
  });

  it.each(['GET', 'POST'])('refuses a body next to a query: %s', async (method) => {
    const answer = await send(service.url, {
      method,
      path: '/capture?html_content=x',
      headers: { 'content-type': 'application/json' },
      body: '{"format":"pdf"}',
    });

    expect(readError(answer)).toEqual(invalid(expect.stringMatching(/must not have a body$/)));
  });

  it.each(['/captur', '/capture/', '/Capture', '/health/x', '/favicon.ico'])('answers 404 at %s', async (path) => {
    const answer = await send(service.url, { method: 'GET', path });

    expect(readError(answer)).toEqual({
      status: 404,
      error_type: 'NotFoundError',
      message: 'The service has no such path',
    });
  });

  it.each([
    ['PUT', '/capture', 'GET, HEAD, POST'],
    ['DELETE', '/capture', 'GET, HEAD, POST'],
    ['PATCH', '/capture', 'GET, HEAD, POST'],
    ['OPTIONS', '/capture', 'GET, HEAD, POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['DELETE', '/health/live', 'GET, HEAD'],
    ['OPTIONS', '/health/ready', 'GET, HEAD'],
  ])('does not accept %s %s', async (method, path, allow) => {
    const answer = await send(service.url, { method, path });

    expect(answer.headers['allow']).toBe(allow);
    expect(readError(answer)).toEqual({
      status: 405,
      error_type: 'MethodNotAllowedError',
      message: 'This method is not allowed here',
    });
  });

  it('answers WebSockets with words', async () => {
    const answer = await send(service.url, {
      method: 'GET',
      path: '/',
      headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    });

    expect(readError(answer)).toMatchObject({ status: 501, message: 'The service takes no WebSocket connections' });
  });

  it.each([
    ['/mcp', 'MCP=true'],
    ['/screenshot', 'COMPAT=browserless'],
    ['/chromium/pdf', 'COMPAT=browserless'],
    ['/forms/chromium/convert/html', 'COMPAT=gotenberg'],
    ['/v1/scrape', 'COMPAT=firecrawl'],
    ['/v2/batch/scrape/x-1-m/errors', 'COMPAT=firecrawl'],
    ['/take', 'COMPAT=screenshotone'],
  ])('names the setting that would switch %s on: %s', async (path, setting) => {
    const answer = await send(service.url, { method: 'POST', path });

    expect(readError(answer)).toEqual({
      status: 404,
      error_type: 'NotFoundError',
      message: 'The service has no such path',
      error_details: `the setting ${setting} switches this path on`,
    });
  });

  it.each([false, true])('refuses a body over the limit, chunked: %s', async (chunked) => {
    const body = JSON.stringify({ html_content: 'x'.repeat(MAX_BODY_BYTES) });

    const answer = await send(service.url, {
      headers: { 'content-type': 'application/json' },
      body,
      chunked,
    });

    expect(readError(answer)).toEqual({
      status: 413,
      error_type: 'PayloadTooLargeError',
      message: 'The request body is too large',
      error_details: `The body may have at most ${MAX_BODY_BYTES} bytes`,
    });
  });

  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a body without a content type', {}],
    ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
    ['gzip', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('accepts JSON in UTF-8 only, not %s', async (_name, headers) => {
    const body = 'content-encoding' in headers ? gzipSync('{"html_content":"x"}') : '{"html_content":"x"}';

    const error_details =
      'content-encoding' in headers
        ? 'Content-Encoding: must not be set'
        : 'Content-Type: must be application/json, or multipart/form-data with files';
    expect(readError(await send(service.url, { headers, body }))).toEqual({ ...UNSUPPORTED, error_details });
  });

  it('answers a request that is not HTTP with the usual error format', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end('what is this?\r\n\r\n');

    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');

    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const headers = new Headers(
      head
        .split('\r\n')
        .slice(1)
        .map((line): [string, string] => {
          const [name = '', value = ''] = line.split(': ');
          return [name, value];
        }),
    );
    expect(readError({ status: 400, headers, body })).toMatchObject({ error_type: 'ValidationError' });
  });

  it('does not stop other requests while abusive bodies arrive', async () => {
    const bodies = ['['.repeat(3_900_000), `[${'0,'.repeat(1_900_000)}0]`, `{${'"a":1,'.repeat(500_000)}"b":1}`];
    const others: number[] = [];
    const end = new AbortController();
    const watch = async (): Promise<void> => {
      while (!end.signal.aborted) {
        others.push((await send(service.url, { method: 'GET', path: '/health/live' })).status);
      }
    };

    const watching = watch();
    const answers = await Promise.all([...bodies, ...bodies].map((body) => sendJson(service.url, body)));
    end.abort();
    await watching;

    expect(answers.map((answer) => answer.status)).toEqual([400, 400, 400, 400, 400, 400]);
    expect(new Set(others)).toEqual(new Set([200]));
  });
});
