import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedQuery } from '../../../src/core/access/signature.ts';
import { eventually } from '../../support/eventually.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKENS: Readonly<Record<string, string>> = {
  default: 'token-of-the-operator',
  shop: 'token-of-the-shop',
  blog: 'token-of-the-blog',
};
const secretOf = (id: string): string => `secret of ${id}`.padEnd(32, '.');
const INVALID = 'KEYS_FILE is invalid: the last valid keys stay in force';
const markup = { html_content: '<h1>Hello</h1>', window_width: 200, window_height: 100 };

describe('jobs and stored results of a service with KEYS_FILE', () => {
  let folder: string;
  let service: RunningService;
  /** Reads the same keys, and has no jobs. */
  let second: RunningService;

  const writeKeys = (...ids: readonly string[]): Promise<void> => {
    const keys = ids.map((id) => ({
      id,
      token_sha256: [
        createHash('sha256')
          .update(TOKENS[id] ?? '')
          .digest('hex'),
      ],
      signing_secrets: [secretOf(id)],
      scopes: ['capture', 'jobs', 'sign'],
      ...(id === 'blog' && { egress_allow: ['*.blog.example'] }),
    }));
    return writeFile(join(folder, 'keys.json'), JSON.stringify({ keys }));
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobs-of-keys-'));
    await writeKeys('shop', 'blog');
    const settings = { AUTH_TOKEN: TOKENS['default'] ?? '', KEYS_FILE: join(folder, 'keys.json') };
    [service, second] = await Promise.all([
      startService({ ...settings, DATA_DIR: join(folder, 'data'), JOB_CONCURRENCY: '1' }),
      startService(settings),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service, second].map((each) => each[Symbol.asyncDispose]()));
    await rm(folder, { recursive: true });
  });

  const call = async (owner: string, method: string, path: string, body?: object) => {
    const answer = await fetch(new URL(path, service.url), {
      method,
      headers: {
        authorization: `Bearer ${TOKENS[owner]}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return {
      status: answer.status,
      storedUrl: answer.headers.get('x-stored-url') ?? '',
      json: isJson ? JSON.parse(await answer.text()) : await answer.text(),
    };
  };
  const submit = async (owner: string, more: object = {}): Promise<string> =>
    (await call(owner, 'POST', '/jobs', { capture: { ...markup, ...more } })).json.id;
  const becomes = (id: string, state: string) =>
    eventually(async () => {
      const { json } = await call('default', 'GET', `/jobs/${id}`);
      if (json.state !== state) throw new Error(`the job is ${json.state}: ${JSON.stringify(json.error)}`);
      return json;
    });

  /** Statuses of the token and of a link of `shop`, on each instance. */
  const statusesOfShop = async (): Promise<readonly number[]> => {
    const query = signedQuery(new Map(Object.entries({ html_content: 'x', key: 'shop' })), secretOf('shop'));
    const headers = { authorization: `Bearer ${TOKENS['shop']}` };
    const answers = [service, second].flatMap(({ url }) => [
      fetch(new URL('/capture?html_content=x', url), { headers }),
      fetch(new URL(`/capture?${query}`, url)),
    ]);
    return (await Promise.all(answers)).map(({ status }) => status);
  };

  it('are refused at once for addresses that the key may not reach, as links are', async () => {
    const url = 'https://www.shop.example/';
    const requested: readonly (readonly [string, object])[] = [
      ['/jobs', { capture: { url } }],
      ['/jobs', { capture: { html_content: 'x', actions: [{ type: 'goto', url }] } }],
      ['/jobs/batch', { captures: [{ url: 'https://www.blog.example/' }, { url }] }],
      ['/sign', { params: { url } }],
    ];

    for (const [path, body] of requested) {
      const { status, json } = await call('blog', 'POST', path, body);
      expect([path, status, json.error_type]).toEqual([path, 400, 'DestinationNotAllowedError']);
    }
    const allowed = await call('blog', 'POST', '/jobs', { capture: { url: 'https://www.blog.example/' } });
    expect(allowed.status).toBe(202);
    await call('blog', 'DELETE', `/jobs/${allowed.json.id}`);
  });

  it('are separate for each key', async () => {
    const [ofShop, ofBlog] = [await submit('shop'), await submit('blog')];
    const done = await becomes(ofShop, 'done');
    await becomes(ofBlog, 'done');

    const lists = await Promise.all(['shop', 'blog', 'default'].map((owner) => call(owner, 'GET', '/jobs?state=done')));
    const foreign = await Promise.all([
      call('blog', 'GET', `/jobs/${ofShop}`),
      call('blog', 'GET', `/jobs/${ofShop}/result`),
      call('blog', 'DELETE', `/jobs/${ofShop}`),
      call('blog', 'GET', done.result.url),
    ]);

    expect(lists.map(({ json }) => json.jobs.map(({ id }: { id: string }) => id))).toEqual([
      [ofShop],
      [ofBlog],
      [ofBlog, ofShop],
    ]);
    for (const { status, json } of foreign) expect([status, json.error_type]).toEqual([404, 'NotFoundError']);
    expect((await call('shop', 'GET', `/jobs/${ofShop}/result`)).status).toBe(200);
    expect((await fetch(done.result.url)).status).toBe(200);
  });

  it('end with their key: its waiting jobs fail, and its links are dead on both instances', async () => {
    const store = { ...markup, store: true, store_path: 'a/b.png' };
    const links = [
      (await call('shop', 'POST', '/capture', store)).storedUrl,
      (await call('blog', 'POST', '/capture', { ...store, window_width: 300 })).storedUrl,
      (await becomes(await submit('shop'), 'done')).result.url,
    ];
    const running = await submit('blog', { delay_capture: 20_000 });
    await becomes(running, 'running');
    const waiting = await submit('shop');
    const statuses = async () => await Promise.all(links.map(async (link) => (await fetch(link)).status));
    expect(await statuses()).toEqual([200, 200, 200]);

    expect(await statusesOfShop()).toEqual([200, 200, 200, 200]);

    await writeKeys('blog');

    await eventually(async () => expect(await statuses()).toEqual([403, 200, 403]));
    await eventually(async () => expect(await statusesOfShop()).toEqual([403, 403, 403, 403]));
    await call('blog', 'DELETE', `/jobs/${running}`);
    expect((await becomes(waiting, 'failed')).error).toMatchObject({ error_type: 'AuthenticationError' });
  });

  it('stay with the last valid keys while the file is invalid, which is reported', async () => {
    await writeKeys('shop', 'blog');
    await eventually(async () => expect(await statusesOfShop()).toEqual([200, 200, 200, 200]));

    await writeFile(join(folder, 'keys.json'), '{"keys": [{"id": "shop"}]}');

    for (const { logs } of [service, second]) {
      await eventually(() => expect(logs().map(({ msg }) => msg)).toContain(INVALID));
    }
    expect(await statusesOfShop()).toEqual([200, 200, 200, 200]);
  });

  it('are read again on SIGHUP, although the file is the same', async () => {
    await writeKeys('shop', 'blog');
    const reads = () => service.logs().filter(({ msg }) => msg === 'KEYS_FILE was read again').length;
    await eventually(async () => expect(await statusesOfShop()).toEqual([200, 200, 200, 200]));
    const before = await eventually(() => {
      expect(reads()).toBeGreaterThan(0);
      return reads();
    });

    process.kill(service.pid, 'SIGHUP');

    await eventually(() => expect(reads()).toBeGreaterThan(before));
  });
});
