import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { sendHtml } from '../../support/pages/exchange.ts';
import { templateFolders } from '../../support/template-folders.ts';
import { runService, type RunningService, startService } from '../../support/service.ts';

const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const SAMPLED = `00-${PARENT.traceId}-${PARENT.spanId}-01`;
const PAGE = { html_content: '<h1>Hello</h1>', window_width: 200, window_height: 100 };
const PARTS = ['queue', 'navigate', 'wait', 'run_ahead', 'wait', 'render', 'encode'];
const TOKEN = 'canary-token';

describe('a service with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  let templates: Awaited<ReturnType<typeof templateFolders>>;
  let receiver: OtlpReceiver;
  let site: FixtureSite;
  let service: RunningService;
  let failures = 1;
  beforeAll(async () => {
    [templates, receiver, site] = await Promise.all([
      templateFolders({ 'card/index.html': '<h1>{{ title }}</h1>', 'card/template.json': {} }),
      startOtlpReceiver(),
      createFixtureSite({
        moreRoutes: {
          '/fails-once': ({ response }) => {
            if (failures-- > 0) response.destroy();
            else sendHtml(response, '<h1>Hello</h1>');
          },
          '/hook': ({ response }) => void response.writeHead(204).end(),
        },
      }),
    ]);
    service = await startService(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '50',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
        AUTH_TOKEN: TOKEN,
        TEMPLATES_DIR: templates.folder,
        WEBHOOK_SECRET: `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`,
        CACHE_TTL: '0',
      },
      { stores: true },
    );
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), site.close()]);
    await receiver[Symbol.asyncDispose]();
    await templates[Symbol.asyncDispose]();
  });

  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
      body: JSON.stringify(body),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, id: answer.headers.get('x-request-id') ?? '', bytes };
  };
  const spanWith = async (name: string, value: string): Promise<ReceivedSpan> =>
    await eventually(() => {
      const found = receiver.spans().find((span) => attributeOf(span, name) === value);
      if (found === undefined) throw new Error(`no span has ${name} ${value}`);
      return found;
    });
  /** Returns the parts of a span when all have arrived, in order of their start: one may be in a later message. */
  const partsOf = async (span: ReceivedSpan, count: number): Promise<readonly ReceivedSpan[]> =>
    await eventually(() => {
      const parts = receiver.spans().filter(({ parentSpanId }) => parentSpanId === span.spanId);
      if (parts.length < count) throw new Error(`${parts.length} parts of ${count}`);
      return parts.toSorted((one, two) => Number(one.startTimeUnixNano - two.startTimeUnixNano));
    });
  const spanOf = (requestId: string) => spanWith('capture.request_id', requestId);
  const jobSpans = async (job: string, count: number): Promise<readonly ReceivedSpan[]> =>
    await eventually(() => {
      const found = receiver.spans().filter((span) => attributeOf(span, 'capture.job') === job);
      if (found.length < count) throw new Error(`${found.length} spans of the job`);
      return found;
    });

  it('goes on with the trace of the client, with a child for each part of the capture', async () => {
    const { id } = await post('/capture', PAGE, { traceparent: SAMPLED });
    const span = await spanOf(id);

    expect(span).toMatchObject({ traceId: PARENT.traceId, parentSpanId: PARENT.spanId, kind: 2 });
    const parts = await partsOf(span, PARTS.length);
    expect([span.name, namesOf(parts)]).toEqual(['POST /capture', PARTS]);
    expect(Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))).toEqual({
      'http.request.method': 'POST',
      'http.route': '/capture',
      'http.response.status_code': 200,
      'capture.request_id': id,
      'capture.format': 'png',
      'capture.target': 'html_content',
      'capture.cache': 'BYPASS',
      'capture.key': 'default',
    });
    for (const child of parts) {
      expect(child.startTimeUnixNano).toBeGreaterThanOrEqual(span.startTimeUnixNano);
      expect(child.endTimeUnixNano).toBeLessThanOrEqual(span.endTimeUnixNano);
    }
    for (const [place, part] of parts.slice(1).entries())
      expect(part.startTimeUnixNano).toBeGreaterThanOrEqual(parts[place]?.endTimeUnixNano ?? 0n);
  });

  it('shows the trace in the log', async () => {
    const { id } = await post('/capture', PAGE);
    const { traceId } = await spanOf(id);

    await eventually(() =>
      expect(service.logs()).toContainEqual(expect.objectContaining({ reqId: id, trace_id: traceId })),
    );
  });

  it('shows the part that failed, and the trace in the error', async () => {
    const { id, bytes } = await post('/capture', { ...PAGE, wait_for_selector: '#none', wait_for_timeout: 1_000 });
    const span = await spanOf(id);

    expect(JSON.parse(bytes.toString())).toMatchObject({ error_type: 'TimeoutError', trace_id: span.traceId });
    expect(attributeOf(span, 'error.type')).toBe('TimeoutError');
    await eventually(async () => {
      const failed = (await partsOf(span, 1)).filter((part) => attributeOf(part, 'error.type') === 'TimeoutError');
      expect(namesOf(failed)).toEqual(['wait']);
    });
  });

  it('has no parts for an answer from the cache', async () => {
    const page = { ...PAGE, html_content: '<h1>Cached</h1>', cache_ttl: 60 };
    await post('/capture', page);
    const span = await spanOf((await post('/capture', page)).id);

    expect(attributeOf(span, 'capture.cache')).toBe('HIT');
    expect(await partsOf(span, 0)).toEqual([]);
  });

  it('has a part for a stored result', async () => {
    const span = await spanOf((await post('/capture', { ...PAGE, store: true })).id);

    expect(namesOf(await partsOf(span, PARTS.length + 1))).toEqual([...PARTS, 'store']);
  });

  it('has the first attempt of each job of a batch, and its webhook, in the trace of the request', async () => {
    const body = { captures: [PAGE, PAGE], webhook_url: site.url('/hook') };
    const { id, bytes } = await post('/jobs/batch', body);
    const jobs: readonly { readonly id: string }[] = JSON.parse(bytes.toString()).jobs;
    for (const job of jobs) await jobSpans(job.id, 2);
    const span = await spanOf(id);

    const children = await partsOf(span, 4);
    expect(namesOf(children).toSorted()).toEqual(['job', 'job', 'webhook', 'webhook']);
    for (const child of children.filter(({ name }) => name === 'job'))
      expect(namesOf(await partsOf(child, PARTS.length + 1))).toEqual([...PARTS, 'store']);
  });

  it('links a later attempt of a job, in a trace of its own', async () => {
    const { id, bytes } = await post('/jobs', { capture: { url: site.url('/fails-once') } });
    const { id: job } = JSON.parse(bytes.toString());
    const [first, second] = await jobSpans(job, 2);
    const request = await spanOf(id);

    expect(first).toMatchObject({ traceId: request.traceId, parentSpanId: request.spanId, links: [] });
    expect(first && attributeOf(first, 'error.type')).toBe('NavigationError');
    expect(second?.traceId).not.toBe(request.traceId);
    expect(second).toMatchObject({ links: [{ traceId: request.traceId, spanId: request.spanId }] });
    expect(second && attributeOf(second, 'capture.job_end')).toBe('done');
  });

  it('follows a client that does not sample, in its jobs as well', async () => {
    const traceparent = '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    const { bytes } = await post('/jobs', { capture: PAGE }, { traceparent });
    const { id: job } = JSON.parse(bytes.toString());
    await eventually(async () => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      expect((await fetch(`${service.url}/jobs/${job}/result`, { headers })).status).toBe(200);
    });
    await spanOf((await post('/capture', PAGE)).id); // whatever ended before has been sent

    expect(receiver.text()).not.toContain('1af7651916cd43dd8448eb211c80319c');
  });

  it('starts a trace of its own if that of the client is not valid', async () => {
    for (const traceparent of ['00-0-0-01', 'x'.repeat(5_000), `00-${'0'.repeat(32)}-b7ad6b7169203331-01`]) {
      const span = await spanOf((await post('/capture', PAGE, { traceparent })).id);
      expect(span.parentSpanId).toBeUndefined();
    }
  });

  it('carries no query, header, cookie, token or template datum', async () => {
    const url = `${site.url('/document')}?canary-query#canary-fragment`;
    const secrets = {
      custom_headers: { 'X-Canary': 'canary-header' },
      cookies: [{ name: 'canary', value: 'canary-cookie' }],
      http_auth: { username: 'canary-user', password: 'canary-password' },
    };
    await post(
      '/capture',
      { url, ...secrets, custom_js: '"canary-script"' },
      { cookie: 'canary-cookie', 'x-api': 'canary-header' },
    );
    await post('/capture?canary-query=1', PAGE);
    await post('/capture', { template: 'card', data: { title: 'canary-datum' } });
    await post('/capture', { url: 'http://canary-user:canary-password@127.0.0.1:9/?canary-query' });
    await post('/jobs', { capture: { url, ...secrets }, webhook_url: `${site.url('/hook')}?canary-query` });
    await post('/compare', { before: { capture: { url } }, after: { capture: { html_content: 'canary-markup' } } });
    await spanOf((await post('/capture', PAGE)).id);

    expect(receiver.text()).toContain('127.0.0.1');
    expect(receiver.text()).not.toContain('canary');
  });

  it('leaves out probes, and names itself', async () => {
    await fetch(`${service.url}/health`);
    await spanOf((await post('/capture', PAGE)).id);

    expect(receiver.text()).not.toContain('/health');
    expect(receiver.text()).toMatch(/"service\.name","value":\{"stringValue":"capture-service"/);
    expect(receiver.text()).toContain('deployment.environment');
  });
});

describe('tracing', () => {
  it('sends protobuf by default', async () => {
    await using receiver = await startOtlpReceiver();
    await using service = await startService({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces` });
    await fetch(`${service.url}/devices`);
    await service.stop();

    expect(receiver.types()).toEqual(['application/x-protobuf']);
    expect(receiver.text()).toContain('GET /devices');
  });

  const collectors: Readonly<Record<string, Parameters<typeof startOtlpReceiver>[0]>> = {
    refuses: (response) => response.writeHead(400).end('no'),
    fails: (response) => response.writeHead(503).end(),
    'answers garbage': (response) => response.end('\u0000garbage'),
    'never answers': () => undefined,
    'closes the connection': (response) => void response.destroy(),
  };
  it.each(Object.entries(collectors))('does not mind a collector that %s', async (_name, answer) => {
    await using receiver = await startOtlpReceiver(answer);
    expect(await effectsOf(receiver.url)).toEqual(NO_EFFECT);
  });

  it('does not mind a collector that is away', async () => {
    const receiver = await startOtlpReceiver();
    await receiver[Symbol.asyncDispose]();
    expect(await effectsOf(receiver.url)).toEqual(NO_EFFECT);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'must be http/protobuf or http/json, not grpc'],
    [{ OTEL_TRACES_SAMPLER: 'sometimes' }, 'OTEL_TRACES_SAMPLER: must be one of always_on, always_off, traceidratio'],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      'OTEL_TRACES_SAMPLER_ARG: must be from 0 to 1',
    ],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER: must be otlp or none, not zipkin'],
  ])('refuses %j at the start', async (variables, reason) => {
    const { code, errors } = await runService({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...variables });

    expect([code, errors]).toEqual([1, expect.stringContaining(reason)]);
  });
});

function namesOf(spans: readonly ReceivedSpan[]): readonly string[] {
  return spans.map(({ name }) => name);
}

function attributeOf({ attributes }: ReceivedSpan, name: string): string | number | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
}

const NO_EFFECT = { statuses: [200, 200, 200, 200], code: 0, endsInTime: true, logsFew: true };

/** Returns the effects of a collector on answers, the log, and the time that the service takes to end. */
async function effectsOf(collector: string): Promise<typeof NO_EFFECT> {
  await using service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
  });
  const statuses: number[] = [];
  for (let round = 0; round < 3; round++) statuses.push((await fetch(`${service.url}/devices`)).status);
  const answer = await fetch(`${service.url}/capture`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(PAGE),
  });
  statuses.push(answer.status);
  const startedAt = performance.now();
  const code = await service.stop();
  return {
    statuses,
    code: code ?? -1,
    endsInTime: performance.now() - startedAt < 4_000,
    logsFew: service.logs().filter(({ msg }) => msg.includes('span')).length <= 2,
  };
}
