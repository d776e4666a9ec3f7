import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { createCaptureClient } from '../../../src/programs/client/client.ts';
import type { CaptureRequest } from '../../../src/programs/client/capture-request.ts';
import type { CaptureJob } from '../../../src/programs/client/job-data.ts';
import { ElementNotFoundError } from '../../../src/programs/client/service-errors.ts';
import { signUrl } from '../../../src/programs/client/sign-url.ts';
import vectorFile from '../../core/access/signature-vectors.json' with { type: 'json' };
import { COLOUR } from '../../support/colour.ts';
import { exampleFields, requestWith } from '../../support/example-fields.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { page, type Routes, send } from '../../support/pages/exchange.ts';
import { readPicture } from '../../support/pixels.ts';
import { receivedOptions, startReceivingApp } from '../../support/receiving-app.ts';
import { type RunningService, startService } from '../../support/service.ts';

const DIST = join(import.meta.dirname, '../../../dist');
const TOKEN = 'cafe'.repeat(16);
const SECRET = 'a-secret-for-links';

/** A page whose heading comes from a file, as bytes. */
const WITH_SCRIPT = {
  html_content: '<script src="a.js"></script>',
  files: { 'a.js': Buffer.from("document.write('<h1>Hi</h1>')") },
  format: 'markdown',
} as const;

/** The built client as a browser loads it, and a page that uses it. */
const CLIENT_ROUTES: Routes = {
  '/programs/client/*': ({ response, rest }) => sendModule(response, `programs/client/${rest}`),
  '/core/access/*': ({ response, rest }) => sendModule(response, `core/access/${rest}`),
  '/in-browser': page({
    body: `<script type="module">
      import { createCaptureClient, signUrl, ElementNotFoundError } from '/programs/client/index.js';
      const [service, token] = location.search.slice(1).split('&');
      const client = createCaptureClient({ service, token });
      const { bytes, width, requestId } = await client.capture({ html_content: '<p>', window_width: 321 });
      const failure = await client.capture({ html_content: '<p>', selector: '#none' }).catch((error) => error);
      const link = await signUrl(
        { url: 'https://example.com/' },
        { service, secret: 's3cret-signing-key', expires: 1893456000 },
      );
      document.body.dataset.result = [
        width,
        bytes.length > 100,
        requestId.length > 0,
        failure instanceof ElementNotFoundError,
        new URL(link).searchParams.get('signature'),
      ].join();
    </script>`,
  }),
};

describe('the client', () => {
  let site: FixtureSite;
  let service: RunningService;
  let client: ReturnType<typeof createCaptureClient>;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({ moreRoutes: CLIENT_ROUTES }),
      startService({ AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: SECRET }, { stores: true }),
    ]);
    client = createCaptureClient({ service: service.url, token: TOKEN });
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  it('returns a json answer as data with typed parts', async () => {
    const { data, bytes, width } = await client.capture({
      url: site.url('/colours'),
      response_type: 'json',
      include: ['metadata', 'links'],
    });

    expect(data).toEqual(JSON.parse(Buffer.from(bytes).toString()));
    expect(data.file.width).toBe(width);
    expectTypeOf(data.links.entries[0]?.url).toEqualTypeOf<string | undefined>();
    expectTypeOf(data).not.toHaveProperty('html');
    expectTypeOf(data.file.base64).toEqualTypeOf<string>();
    expect([data.metadata.json_ld, data.links.entries]).toEqual([[], []]);
    expect(data).not.toHaveProperty('html');
    const { bytes: file, ...facts } = await client.capture({ html_content: '<p>' });
    expect(file.length).toBeGreaterThan(100);
    expect(facts).not.toHaveProperty('data');
  });

  it('accepts only requests that have something to capture', async () => {
    // @ts-expect-error: neither a page nor a template
    await expect(client.capture({ full_page: true })).rejects.toThrow('Invalid request parameters');
    // @ts-expect-error: no such field
    await expect(client.capture({ html_content: '<p>', widow_width: 1 })).rejects.toThrow('Invalid');
  });

  it('returns text, and sends the headers of the operator', async () => {
    const identities: (string | null)[] = [];
    const asking: typeof fetch = async (input, init) => {
      identities.push(new Headers(init?.headers).get('x-identity'));
      return await fetch(input, init);
    };
    const behindProxy = createCaptureClient({
      service: service.url,
      token: TOKEN,
      headers: { 'x-identity': 'me' },
      fetch: asking,
    });

    const captured = await behindProxy.capture({ html_content: '<h1>Grüße</h1>', format: 'markdown' });

    expect([captured.text(), identities]).toEqual(['# Grüße\n', ['me']]);
  });

  it('submits a batch, lists its jobs and fetches a result', async () => {
    const captures: CaptureRequest[] = Array.from({ length: 51 }, (_, index) => ({
      html_content: `<h1>${index}</h1>`,
      format: 'markdown',
    }));
    const withFile = { ...WITH_SCRIPT, files: { 'a.js': Buffer.from("document.write('<h1>0</h1>')") } };
    captures.splice(0, 1, withFile);

    const jobs = await client.submitBatch([...captures, { html_content: '<p>', selector: '#none' }]);
    const results = await Promise.all(jobs.slice(0, 2).map(({ id }) => client.wait(id)));
    const failure = await client.wait(jobs[51]?.id ?? '').catch((error: unknown) => error);
    const listed: string[] = [];
    for await (const { id } of client.jobs()) listed.push(id);
    const failed: CaptureJob[] = [];
    for await (const job of client.jobs({ state: 'failed' })) failed.push(job);
    const again = await client.result(jobs[0]?.id ?? '');
    const first = await client.job(jobs[0]?.id ?? '');

    expect(results.map((result) => result.text())).toEqual(['# 0\n', '# 1\n']);
    expect(again.text()).toBe('# 0\n');
    expect(failure).toBeInstanceOf(ElementNotFoundError);
    expect(jobs.filter(({ id }) => !listed.includes(id))).toEqual([]);
    expect(failed).toMatchObject([{ id: jobs[51]?.id, error: { errorType: 'ElementNotFoundError' } }]);
    expect(first.result).toEqual({
      url: expect.stringContaining('/stored/~jobs/'),
      expiresAt: expect.stringMatching(/^20/),
      contentType: 'text/markdown; charset=utf-8',
      bytes: again.bytes.length,
    });
    await expect(client.submitBatch([])).rejects.toThrow('Invalid request parameters');
  });

  it('lets the service sign', async () => {
    const { url, expires } = await client.sign(WITH_SCRIPT, { expiresIn: 60 });

    expect(await (await fetch(url)).text()).toBe('# Hi\n');
    expect(expires).toBeGreaterThan(Date.now() / 1000 + 50);
    await expect(client.sign({ html_content: '<p>', custom_js: '1' })).rejects.toMatchObject({
      errorType: 'ValidationError',
    });
  });

  it('returns a picture with the metadata from the headers', async () => {
    const { bytes, ...facts } = await client.capture(
      { url: site.url('/colours'), window_width: 320, window_height: 200 },
      { requestId: 'chosen-by-the-test' },
    );

    const picture = await readPicture(Buffer.from(bytes));
    expect(picture).toMatchObject({ format: 'png', width: 320, height: 200 });
    expect(picture.pixel(50, 50)).toEqual([...COLOUR.red, 255]);
    expect(facts).toMatchObject({
      contentType: 'image/png',
      width: 320,
      height: 200,
      targetStatus: 200,
      targetUrl: site.url('/colours'),
      warnings: [],
      blockedRequests: 0,
      filteredRequests: 0,
      requestId: 'chosen-by-the-test',
    });
    expect(Object.keys(facts.timings)).toEqual(['queue', 'navigate', 'ahead', 'wait', 'render']);
    expect(facts.timings['navigate']).toBeGreaterThan(0);
    expect(facts.headers.get('cache-control')).toBe('no-store');
  });

  it('returns a stream', async () => {
    const { stream, ...facts } = await client.captureStream({
      html_content: '<h1>Hello</h1>',
      format: 'html',
    });

    expect(await new Response(stream).text()).toContain('<h1>Hello</h1>');
    expect(facts).toMatchObject({ contentType: 'text/html; charset=utf-8', requestId: expect.any(String) });
    expect([facts.width, facts.height, facts.targetStatus, facts.targetUrl]).toEqual(Array(4).fill(undefined));
  });

  it('reports warnings and blocked connections', async () => {
    const later = `onload = () => setTimeout(() => fetch("${site.url('/never')}"), 100)`;

    const facts = await client.capture({
      html_content: `<img src="http://10.0.0.1/a.png"><script>${later}</script>`,
      wait_for_network: 'idle',
      wait_for_timeout: 700,
    });

    expect(facts.warnings).toContain('network_not_idle');
    expect(facts.blockedRequests).toBeGreaterThan(0);
  });

  // openapi.test.ts tests that each example returns a capture.
  it('sends every field', async () => {
    await using app = await startReceivingApp();
    const sender = createCaptureClient({ service: app.url });
    const examples = exampleFields('https://example.com/');
    const requests = examples.map(({ name, value }) => requestWith(name, value, 'https://example.com/'));

    for (const fields of requests) await sender.capture(fields);
    const refusals = await Promise.allSettled(
      examples.map(({ name }) => sender.capture({ url: 'https://example.com/', [name]: { nonsense: true } })),
    );

    expect(app.received).toEqual(requests.map(receivedOptions));
    expect(app.storedPaths()).toEqual([expect.any(String), 'reports/2026-11.pdf']);
    const named = refusals.map((refusal) =>
      refusal.status === 'rejected' ? String(refusal.reason.details).split(/[:.]/)[0] : 'accepted',
    );
    expect(named).toEqual(examples.map(({ name }) => name));
  });

  it('sends files as bytes, as base64 or both, with captures and jobs', async () => {
    await using app = await startReceivingApp();
    const sender = createCaptureClient({ service: app.url });
    const [css, svg] = [Buffer.from('h1 { color: red }'), new TextEncoder().encode('<svg/>')];
    const page = { html_content: '<h1>Hello</h1>' };
    const large = { 'a.bin': new Uint8Array(2_000_000) }; // more than the service takes as JSON

    await sender.capture({ ...page, files: { 'style.css': css, 'img/a.svg': svg } });
    await sender.capture({ ...page, files: { 'style.css': css.toString('base64'), 'img/a.svg': svg } });
    await sender.capture({ ...page, files: { 'style.css': css.toString('base64') } });
    await sender.captureStream({ ...page, files: large });
    const job = await client
      .submit({ ...page, format: 'html', files: { 'style.css': css } })
      .catch((error: unknown) => error);

    const sent = app.received.map(({ ownSite }) =>
      [...(ownSite?.files ?? [])].map(([name, { body, contentType }]) => [name, contentType, body.length]),
    );
    const [ofCss, ofSvg] = [
      ['style.css', 'text/css; charset=utf-8', css.length],
      ['img/a.svg', 'image/svg+xml', svg.length],
    ];
    expect(sent).toEqual([[ofCss, ofSvg], [ofCss, ofSvg], [ofCss], [['a.bin', 'application/octet-stream', 2_000_000]]]);
    expect(new Set(app.received.slice(0, 2).map(({ ownSite }) => ownSite?.id)).size).toBe(1);
    expect(job).toMatchObject({ state: expect.stringMatching(/queued|running|done/) });
  });

  it('signs links that the service accepts', async () => {
    const link = await signUrl(
      { url: site.url('/plain'), window_width: 200, full_page: true },
      { service: service.url, secret: SECRET },
    );

    const answer = await fetch(link);

    expect([answer.status, answer.headers.get('x-image-width')]).toEqual([200, '200']);
  });

  it('accepts a link that is signed without fields, in place of a token', async () => {
    const pass = await signUrl({}, { service: service.url, secret: SECRET, expiresIn: 60 });

    const { contentType } = await createCaptureClient({ service: pass }).capture({ html_content: '<p>' });

    expect(contentType).toBe('image/png');
  });

  it('works in a browser', async () => {
    const origins = { AUTH_TOKEN: TOKEN, CORS_ORIGINS: site.origin };
    await using inner = await startService(origins); // a page never reaches the service that captures it

    const { bytes } = await client.capture({
      url: site.url(`/in-browser?${inner.url}&${TOKEN}`),
      format: 'html',
      wait_for_selector: '[data-result]',
      wait_for_timeout: 10_000,
    });

    const [, result] = /data-result="([^"]*)"/.exec(new TextDecoder().decode(bytes)) ?? [];
    expect(result).toBe(`321,true,true,true,${vectorFile.vectors[0]?.signature}`);
  });
});

async function sendModule(response: ServerResponse, path: string): Promise<void> {
  send(response, { type: 'text/javascript', body: await readFile(join(DIST, path)) });
}
