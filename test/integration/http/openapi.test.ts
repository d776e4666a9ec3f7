import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/list.ts';
import { createOpenApi } from '../../../src/core/http/openapi/document.ts';
import { CAPTURE_EXAMPLES, fieldSchemas } from '../../../src/core/http/routes/capture-operations.ts';
import { NEED_SETTINGS, requestWith } from '../../support/example-fields.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'a-token-for-tests';
const DOCUMENTED_TARGET = 'https://example.com/';
/** Headers that Node's HTTP server sets on every answer. */
const TRANSPORT_HEADERS = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];

const openApi = createOpenApi({
  version: '0.1.0',
  keys: { isRequired: true },
  maxWaitMs: 60_000,
  routes: ROUTES,
  extensions: { 'x-templates': false, 'x-jobs': true, 'x-usage': false },
});
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, uri: true } });
ajv.addSchema({ ...openApi, $id: 'openapi' });

const fieldExamples = Object.entries(fieldSchemas({ maxWaitMs: 60_000 })).flatMap(([name, { examples }]) =>
  NEED_SETTINGS.has(name) ? [] : [examples].flat().map((example) => ({ name, example })),
);

// Five at a time: most of a capture is waiting.
describe.concurrent('the OpenAPI document of the running service', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    const settings = {
      AUTH_TOKEN: TOKEN,
      URL_SIGNING_SECRET: 'secret',
      RATE_LIMIT_CAPTURE: '1000 per second',
    };
    [site, service] = await Promise.all([
      createFixtureSite(),
      startService({ ...settings, RATE_LIMIT_ENABLED: 'true', MAX_BODY_BYTES: '2000' }, { stores: true }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), site.close()]);
  });

  /** Sends a documented request with a local URL: tests have no internet access. */
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` }, ...init });
  const post = (path: string, body: unknown): Promise<Response> =>
    send(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body).replaceAll(DOCUMENTED_TARGET, site.url('/example')),
    });

  it('is generated from the schema', async () => {
    const answer = await fetch(`${service.url}/openapi.json`);

    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApi)));
  });

  it.each(Object.entries(CAPTURE_EXAMPLES))('has a working request: %s', async (_name, { value }) => {
    const answer = await post('/capture', value);

    expect(await deviations(answer, { path: '/capture', method: 'post', status: 200 })).toEqual([]);
  });

  it.each(fieldExamples)('has a working example of $name for a body: $example', async ({ name, example }) => {
    const answer = await post('/capture', cachedRequest(name, example));

    expect(await deviations(answer, { path: '/capture', method: 'post', status: 200 })).toEqual([]);
  });

  it.each(fieldExamples)('has a working example of $name for a query: $example', async ({ name, example }) => {
    const query = new URLSearchParams();
    for (const [field, value] of Object.entries(cachedRequest(name, example))) {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      query.set(field, text.replaceAll(DOCUMENTED_TARGET, site.url('/example')));
    }

    const answer = await send(`/capture?${query.toString()}`);

    expect(await deviations(answer, { path: '/capture', method: 'get', status: 200 })).toEqual([]);
  });

  it('has a signing example that returns a working link', async () => {
    const { examples } = contentOf(openApi.paths['/sign']?.['post']?.['requestBody']);
    const bodies = Object.values(Object(examples)).map((example) => Object(example).value);

    for (const body of bodies) {
      const answer = await post('/sign', body);
      const { signed_url: link } = Object(await answer.clone().json());
      const captured = await fetch(String(link));

      expect(await deviations(answer, { path: '/sign', method: 'post', status: 200 })).toEqual([]);
      expect(await deviations(captured, { path: '/capture', method: 'get', status: 200 })).toEqual([]);
      expect(captured.headers.get('content-type')).toBe('application/pdf');
    }
    expect(bodies.length).toBeGreaterThan(0);
  });

  it.each(['/health', '/health/live', '/health/ready'])('describes %s', async (path) => {
    const answer = await send(path);

    expect(await deviations(answer, { path, method: 'get', status: 200, isClosed: true })).toEqual([]);
  });

  it.each([
    ['/capture', 400, { method: 'POST' }],
    ['/sign', 400, { method: 'POST' }],
    ['/capture', 401, { method: 'POST', headers: {} }],
    ['/sign', 401, { method: 'POST', headers: {} }],
    ['/capture', 403, { method: 'POST', headers: { authorization: 'Bearer wrong' } }],
    ['/sign', 403, { method: 'POST', headers: { authorization: 'Bearer wrong' } }],
    ['/capture', 405, { method: 'PUT' }],
    ['/sign', 405, { method: 'GET' }],
    ['/capture', 413, { method: 'POST', body: 'x'.repeat(3_000) }],
    ['/sign', 413, { method: 'POST', body: 'x'.repeat(3_000) }],
    ['/capture', 415, { method: 'POST', body: 'x' }],
    ['/sign', 415, { method: 'POST', body: 'x' }],
  ] as const)('describes the error of %s with status %i', async (path, status, init) => {
    const type = status === 413 ? { 'content-type': 'application/json' } : undefined;
    const headers = 'headers' in init ? init.headers : { authorization: `Bearer ${TOKEN}`, ...type };

    const answer = await send(path, { ...init, headers });

    expect(await deviations(answer, { path, method: 'post', status })).toEqual([]);
  });

  it('describes the error of an unreachable page', async () => {
    const answer = await post('/capture', { url: 'http://127.0.0.1:1/' });

    expect(await deviations(answer, { path: '/capture', method: 'post', status: 500 })).toEqual([]);
  });
});

interface Expected {
  readonly path: string;
  readonly method: string;
  readonly status: number;
  /** True if the body may contain only documented properties. */
  readonly isClosed?: boolean;
}

/** Returns how status, content type, headers and body of an answer differ from the document. */
async function deviations(
  answer: Response,
  { path, method, status, isClosed = false }: Expected,
): Promise<readonly string[]> {
  const body = await answer.text();
  if (answer.status !== status) return [`status ${answer.status}: ${body.slice(0, 500)}`];
  const { headers = {}, content = {} } = openApi.paths[path]?.[method]?.responses[status] ?? {};
  const known = new Set([...Object.keys(headers), 'Content-Type'].map((name) => name.toLowerCase()));
  const sent = [...answer.headers.keys()].filter((name) => !TRANSPORT_HEADERS.includes(name));
  const unknown = sent.filter((name) => !known.has(name)).map((name) => `header ${name}`);

  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  if (!Object.hasOwn(content, type)) return [...unknown, `content type ${type}`];
  if (type !== 'application/json') return unknown;
  const at = ['paths', path, method, 'responses', `${status}`, 'content', type, 'schema'];
  const pointer = at.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/');
  const schema = {
    $ref: `openapi#/${pointer}`,
    ...(isClosed && { unevaluatedProperties: false }),
  };
  const validate = ajv.compile(schema);
  validate(JSON.parse(body));
  return [...unknown, ...(validate.errors ?? []).map((error) => JSON.stringify(error))];
}

/** The same request by GET and POST is captured once. */
function cachedRequest(name: string, example: unknown): Readonly<Record<string, unknown>> {
  return { cache_ttl: 3600, ...requestWith(name, example, DOCUMENTED_TARGET) };
}

function contentOf(requestBody: unknown): { readonly examples?: unknown } {
  return Object(requestBody).content['application/json'];
}
