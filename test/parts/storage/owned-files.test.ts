import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Express } from 'express';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileStorage, type FileStorage } from '../../../src/parts/storage/file-storage.ts';
import { createS3Storage } from '../../../src/parts/storage/s3-storage.ts';
import { appWith, type GivenApp } from '../../support/app.ts';
import { comparable } from '../../support/errors.ts';
import { NO_KEYS, ringOf, type TestRing } from '../../support/keys.ts';
import { S3_KEY, startS3 } from '../../support/s3.ts';
import { CAPTURE_RESULT } from '../../support/stored-capture.ts';

describe('stored results of three keys', () => {
  let folder: string;
  let storage: FileStorage;
  let ring: TestRing;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'owned-files-'));
    storage = createFileStorage({ folder, linkTtlSeconds: 600 });
    ring = ringOf('default', 'shop', 'blog');
  });
  afterEach(async () => {
    await storage[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const app = (given: GivenApp = {}) =>
    appWith({
      keys: ring,
      resultStorage: storage,
      checkStoredLink: storage.checkLink,
      capture: async (_, { key }) => ({ ...CAPTURE_RESULT, file: Buffer.from(`of ${key?.id}`) }),
      ...given,
    });
  const store = async (owner: string, fields?: object) => {
    const { headers } = await send(app(), owner, fields);
    const link = new URL(String(headers['x-stored-url']));
    return { path: String(headers['x-stored-path']), link: link.pathname + link.search };
  };
  const follow = async (link: string, owner?: string) => {
    const sent = request(app()).get(link);
    if (owner !== undefined) sent.set('Authorization', `Bearer token-of-${owner}`);
    const { status, body } = await sent;
    return Buffer.isBuffer(body) ? [status, body.toString()] : [status, body.error_type];
  };

  it('are separate files with the same path, each at its own link', async () => {
    const owners = ['shop', 'default', 'blog'];
    const stored = [];
    for (const owner of owners) stored.push(await store(owner));

    expect(stored.map(({ path }) => path)).toEqual(Array(3).fill('a/b.png'));
    for (const [index, owner] of owners.entries())
      expect(await follow(stored[index]?.link ?? '')).toEqual([200, `of ${owner}`]);
    expect(await readFile(join(folder, 'a/b.png'), 'utf8')).toBe('of default');
  });

  it('are separate objects in a bucket as well', async () => {
    await using server = await startS3('captures');
    const bucket = createS3Storage({
      storageEndpoint: server.origin,
      storageRegion: 'us-east-1',
      storageAccessKeyId: S3_KEY,
      storageSecretAccessKey: S3_KEY,
      bucket: 'captures',
      prefix: 'pages',
      linkTtlSeconds: 60,
    });

    const links: string[] = [];
    for (const owner of ['shop', 'blog', 'default'])
      links.push(String((await send(app({ resultStorage: bucket }), owner)).headers['x-stored-url']));

    const read = await Promise.all(links.map(async (link) => await (await fetch(link)).text()));
    expect(read).toEqual(['of shop', 'of blog', 'of default']);
  });

  it('get a path from the service without a store_path, in the namespace of their key', async () => {
    const { path, link } = await store('shop', {});

    expect(path).toMatch(/^~days\//);
    expect(await follow(link)).toEqual([200, 'of shop']);
  });

  it('end with their key, for default as well', async () => {
    const [shop, blog, ofDefault] = [await store('shop'), await store('blog'), await store('default')];

    ring.remove('shop');
    ring.remove('default');

    expect(await follow(shop.link)).toEqual([403, 'InvalidSignatureError']);
    expect(await follow(shop.link, 'blog')).toEqual([403, 'InvalidSignatureError']);
    expect(await follow(ofDefault.link)).toEqual([403, 'InvalidSignatureError']);
    expect(await follow(blog.link)).toEqual([200, 'of blog']);
  });

  it('are not found with the token of another key, except with that of default', async () => {
    const [shop, ofDefault] = [await store('shop'), await store('default')];

    expect(await follow(shop.link, 'blog')).toEqual([404, 'NotFoundError']);
    expect(await follow(ofDefault.link, 'blog')).toEqual([404, 'NotFoundError']);
    expect(await follow(shop.link, 'shop')).toEqual([200, 'of shop']);
    expect(await follow(shop.link, 'default')).toEqual([200, 'of shop']);
    expect(await follow(shop.link, 'nobody')).toEqual([200, 'of shop']);
  });

  it('answer another key as if they were deleted', async () => {
    const { link } = await store('shop');
    const answers = async (owner: string) => {
      const send = (path: string) => request(app()).get(path).set('Authorization', `Bearer token-of-${owner}`);
      return [comparable(await send(link)), comparable(await send(link.replace('signature=', 'signature=x')))];
    };
    const ofBlog = await answers('blog');

    await storage.delete('~owners/shop/a/b.png');

    expect(ofBlog.map(({ status }) => status)).toEqual([404, 403]);
    expect(await answers('blog')).toEqual(ofBlog);
    expect(await answers('shop')).toEqual(ofBlog);
  });

  it('need a link, even with a token', async () => {
    await store('shop');

    for (const path of ['a/b.png', '~owners/shop/a/b.png'])
      for (const owner of ['shop', 'default'])
        expect(await follow(`/stored/${path}`, owner)).toEqual([403, 'InvalidSignatureError']);
  });

  it.each([
    ['another namespace', '~owners/shop/', '~owners/blog/'],
    ['the files of default', '~owners/shop/', ''],
    ['other letter case', '~owners/shop/', '~OWNERS/SHOP/'],
    ['a parent folder', '~owners/shop/', '~owners/blog/%2e%2e/shop/'],
  ])('are not opened by a link that was changed to %s', async (_, from, to) => {
    const [{ link }] = [await store('shop'), await store('blog'), await store('default')];

    expect(link).toContain(from);
    expect((await follow(link.replace(from, to)))[0]).toBe(403);
  });

  it('of default work without authentication, and those of keys do not', async () => {
    const [shop, ofDefault] = [await store('shop'), await store('default')];
    const open = app({ keys: NO_KEYS });

    expect((await request(open).get(ofDefault.link)).status).toBe(200);
    expect((await request(open).get(shop.link)).status).toBe(403);
  });

  it('are reported with the path of the client in a JSON answer', async () => {
    const file = { content_type: 'image/png', base64: Buffer.from('picture').toString('base64') };
    const body = JSON.stringify({ file });
    const json = app({ capture: async () => ({ ...CAPTURE_RESULT, file: Buffer.from(body) }) });

    const answer = await send(json, 'shop', { response_type: 'json', store_path: 'a/b.png' });

    expect(answer.body.file).toMatchObject({
      path: 'a/b.png',
      url: expect.stringContaining('/stored/~owners/shop/a/b.png?'),
    });
  });
});

async function send(to: Express, owner: string, fields: object = { store_path: 'a/b.png' }) {
  const body = { url: 'https://example.com/', store: true, ...fields };
  const sent = request(to).post('/capture').set('Authorization', `Bearer token-of-${owner}`);
  return await sent.send(body).expect(200);
}
