import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaptureClient } from '../../../src/programs/client/client.ts';
import { signUrl } from '../../../src/programs/client/sign-url.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'a-token';
const SECRET = 'a-secret-for-links';
const markup = { html_content: '<h1>Kept</h1>', window_width: 200, window_height: 100 };

interface Data {
  readonly file: Readonly<Record<string, string>>;
  readonly [part: string]: unknown;
}

describe('a service with DATA_DIR', () => {
  let folder: string;
  let service: RunningService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storing-test-'));
    service = await startService({
      DATA_DIR: folder,
      AUTH_TOKEN: TOKEN,
      URL_SIGNING_SECRET: SECRET,
      STORAGE_LINK_TTL: '600',
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const store = (fields: Readonly<Record<string, unknown>>) =>
    capture(service.url, { ...markup, store: true, ...fields }, { token: TOKEN });
  const stored = (path: string): Buffer => readFileSync(join(folder, 'storage', path));

  it('stores the result at the requested path and answers with the path and a link', async () => {
    const answer = await store({ store_path: 'shots/first.png' });
    const url = answer.headers.get('x-stored-url') ?? '';
    const linked = await fetch(url);

    expect([answer.status, answer.headers.get('x-stored-path')]).toEqual([200, 'shots/first.png']);
    expect(stored('shots/first.png').equals(answer.body)).toBe(true);
    expect(url.startsWith(`${service.url}/stored/shots/first.png?`)).toBe(true);
    expect(linked.status).toBe(200);
    expect(Buffer.from(await linked.arrayBuffer()).equals(answer.body)).toBe(true);
  });

  it('stores each picture of selector_each as a file, and answers with links to them', async () => {
    const answer = await store({ html_content: '<h1>One</h1><p>Two', selector: 'h1, p', selector_each: true });
    const { elements } = JSON.parse(answer.body.toString());

    expect(answer.headers.get('x-stored-url')).toBeNull();
    expect(elements).toHaveLength(2);
    for (const { url, path, bytes, base64 } of elements) {
      expect([(await fetch(url)).status, stored(path).length, base64]).toEqual([200, bytes, undefined]);
    }
  });

  it('reports the location in readable text', async () => {
    const client = createCaptureClient({ service: service.url, token: TOKEN });

    const facts = await client.capture({ ...markup, store: true, store_path: 'by/client.png' });
    const { storedUrl } = await client.capture(markup);

    expect(facts.storedPath).toBe('by/client.png');
    expect((await fetch(facts.storedUrl ?? '')).status).toBe(200);
    expect(storedUrl).toBeUndefined();
  });

  it('generates a unique path from the date and the request id', async () => {
    const body = JSON.stringify({ ...markup, format: 'pdf', store: true });
    const [type, id] = ['application/json', 'job:7..a'];
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type, 'x-request-id': id };

    const answers = await Promise.all(
      [1, 2].map(() => fetch(`${service.url}/capture`, { method: 'POST', headers, body })),
    );
    const paths = answers.map((answer) => answer.headers.get('x-stored-path'));

    expect(paths).toEqual(Array(2).fill(expect.stringMatching(/^~days\/\d{4}\/\d\d\/\d\d\/job-7--a-[\da-f]{8}\.pdf$/)));
    expect(new Set(paths).size).toBe(2);
  });

  it.each(['jobs', 'JOBS', '2026', 'storage', 'jobs.sqlite', '.key', 'parts'])(
    'stores further results after one was stored as %s',
    async (path) => {
      const named = await store({ store_path: path });
      const unnamed = await store({});

      expect([named.status, unnamed.status]).toEqual([200, 200]);
      for (const { headers, body } of [named, unnamed]) {
        const linked = await fetch(headers.get('x-stored-url') ?? '');
        expect(Buffer.from(await linked.arrayBuffer()).equals(body)).toBe(true);
      }
    },
  );

  it('stores nothing by default', async () => {
    const before = readdirSync(folder, { recursive: true }).length;

    const { headers } = await capture(service.url, markup, { token: TOKEN });

    expect([headers.has('x-stored-url'), headers.has('x-stored-path')]).toEqual([false, false]);
    expect(readdirSync(folder, { recursive: true })).toHaveLength(before);
  });

  it('stores results from the cache, each time again', async () => {
    const fields = { ...markup, html_content: '<p>Cached', cache_ttl: 600 };
    const first = await capture(service.url, fields, { token: TOKEN });

    const answers = [
      await store({ ...fields, store_path: 'cached/a.png' }),
      await store({ ...fields, store_path: 'cached/b.png' }),
    ];

    expect(answers.map(({ headers }) => headers.get('x-cache'))).toEqual(['HIT', 'HIT']);
    expect(['a', 'b'].map((name) => stored(`cached/${name}.png`).equals(first.body))).toEqual([true, true]);
  });

  it('answers JSON with the link instead of the file, from the cache as well', async () => {
    const fields = { html_content: '<p>Data', response_type: 'json', include: ['html'], cache_ttl: 600 };
    const whole = await capture(service.url, { ...fields, store: false }, { token: TOKEN });
    const { file: wholeFile, ...rest }: Data = JSON.parse(whole.body.toString());

    const answer = await store({
      ...fields,
      window_width: undefined,
      window_height: undefined,
      store_path: 'data.png',
    });
    const { file, ...others }: Data = JSON.parse(answer.body.toString());

    expect(answer.headers.get('x-cache')).toBe('HIT');
    expect([answer.headers.has('etag'), answer.headers.get('cache-control')]).toEqual([false, 'no-store']);
    expect(others).toEqual(rest);
    expect(file).toEqual({
      ...wholeFile,
      base64: undefined,
      url: answer.headers.get('x-stored-url'),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      path: 'data.png',
    });
    expect(stored('data.png')).toEqual(Buffer.from(wholeFile['base64'] ?? '', 'base64'));
    expect((await fetch(file['url'] ?? '')).headers.get('content-type')).toBe('image/png');
  });

  it.each(['/etc/passwd', '../up.png', 'a/../../b', 'a//b', 'a b', 'a'.repeat(513), ''])(
    'refuses the path %s',
    async (path) => {
      const answer = await store({ store_path: path });

      expect([answer.status, answer.json()]).toEqual([
        400,
        expect.objectContaining({
          error_type: 'ValidationError',
          error_details: expect.stringMatching(/^store_path: must be a path of at most 512 characters \(A-Z a-z 0-9/),
        }),
      ]);
    },
  );

  it('refuses a path without store, and a path that is a folder of other files', async () => {
    await store({ store_path: 'taken/a.png' });
    const answers = [
      await capture(service.url, { ...markup, store_path: 'a.png' }, { token: TOKEN }),
      await store({ store_path: 'taken' }),
    ];

    expect(answers.map((each) => [each.status, each.json()])).toEqual([
      [400, expect.objectContaining({ error_details: 'store_path: needs store' })],
      [
        400,
        expect.objectContaining({
          error_details: expect.stringMatching(/^store_path: conflicts with another stored file/),
        }),
      ],
    ]);
  });

  it('refuses to store for a signed link, and to sign a link that stores', async () => {
    const link = await signUrl(
      { ...markup, store: true },
      { service: service.url, secret: SECRET, expires: Math.floor(Date.now() / 1_000) + 600 },
    );
    const signing = await fetch(`${service.url}/sign`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ params: { ...markup, store: true } }),
    });

    for (const answer of [await fetch(link), signing]) {
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({
          error_details: 'store: is not accepted in a signed URL unless SIGNED_URL_ALLOW names it',
        }),
      ]);
    }
  });

  it('serves a stored file only to its own link: not to the token, another link, or after expiry', async () => {
    const url = (await store({ store_path: 'secret/a.png' })).headers.get('x-stored-url') ?? '';
    await store({ store_path: 'secret/b.png' });
    const bare = `${service.url}/stored/secret/a.png`;

    const answers = await Promise.all([
      fetch(bare, { headers: { authorization: `Bearer ${TOKEN}` } }),
      fetch(url.replace('a.png', 'b.png')),
      fetch(url.replace(/expires=\d+/, 'expires=99999999999')),
      fetch(`${bare}?expires=1&signature=x`),
    ]);
    const found = await Promise.all(answers.map(async (each) => [each.status, (await each.json()).error_type]));

    expect(found).toEqual([
      [403, 'InvalidSignatureError'],
      [403, 'InvalidSignatureError'],
      [403, 'InvalidSignatureError'],
      [403, 'SignatureExpiredError'],
    ]);
  });

  it('answers 404 to a valid link whose file was deleted', async () => {
    const url = (await store({ store_path: 'gone.png' })).headers.get('x-stored-url') ?? '';
    rmSync(join(folder, 'storage/gone.png'));

    const answer = await fetch(url);

    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ error_type: 'NotFoundError' }),
    ]);
  });

  it.each([
    ['png', 'image/png', 'inline'],
    ['pdf', 'application/pdf', 'inline'],
    ['html', 'text/html; charset=utf-8', 'attachment'],
  ])('prevents scripts in a stored %s from running', async (format, type, disposition) => {
    const answer = await store({ format, store_path: `kinds/a.${format}` });
    const linked = await fetch(answer.headers.get('x-stored-url') ?? '');
    const body = Buffer.from(await linked.arrayBuffer());
    const head = await fetch(answer.headers.get('x-stored-url') ?? '', { method: 'HEAD' });

    expect(Object.fromEntries(linked.headers)).toMatchObject({
      'content-type': type,
      'content-length': `${body.length}`,
      'content-disposition': `${disposition}; filename="a.${format}"`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'no-store',
    });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, `${body.length}`]);
  });

  it('reports a storage failure to the client, logs the cause, and continues to capture', async () => {
    rmSync(join(folder, 'storage/~parts'), { recursive: true });
    writeFileSync(join(folder, 'storage/~parts'), '');

    const answer = await store({});
    rmSync(join(folder, 'storage/~parts'));
    const without = await capture(service.url, markup, { token: TOKEN });

    expect([answer.status, answer.json(), without.status]).toEqual([
      502,
      expect.objectContaining({
        error_type: 'StorageError',
        error_details: 'STORAGE: it failed (ENOTDIR)',
      }),
      200,
    ]);
    expect(JSON.stringify(answer.json())).not.toContain(folder);
    await expect
      .poll(() => service.logs())
      .toContainEqual(expect.objectContaining({ level: 'error', msg: 'the storage failed', operation: 'put' }));
  });

  it('is counted in the metrics', async () => {
    const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const text = await metrics.text();

    expect(text).toMatch(/^capture_service_storage_operations_total\{operation="put",outcome="success"\} [1-9]/m);
    expect(text).toMatch(/^capture_service_storage_operations_total\{operation="put",outcome="failure"\} 1$/m);
    expect(text).toMatch(/^capture_service_storage_operations_total\{operation="get",outcome="missing"\} 1$/m);
    expect(text).toMatch(/^capture_service_storage_bytes_total\{operation="put"\} [1-9]\d{3,}$/m);
    expect(text).toMatch(/requests_total\{route="stored",status="403",error_type="InvalidSignatureError"\} 3$/m);
  });
});
