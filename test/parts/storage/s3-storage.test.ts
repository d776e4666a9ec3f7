import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createS3Storage } from '../../../src/parts/storage/s3-storage.ts';
import type { Storage } from '../../../src/parts/storage/storage.ts';
import { S3_KEY, startFalseS3, startS3 } from '../../support/s3.ts';

const BUCKET = 'captures';
const TIMEOUT_MS = 900; // the first request of a busy machine may take 300 ms
const TEN = Buffer.from('0123456789');

type Given = Partial<Parameters<typeof createS3Storage>[0]>;

function storageAt(storageEndpoint: string, given: Given = {}): Storage {
  return createS3Storage({
    storageEndpoint,
    storageRegion: 'us-east-1',
    storageAccessKeyId: S3_KEY,
    storageSecretAccessKey: S3_KEY,
    bucket: BUCKET,
    prefix: '',
    linkTtlSeconds: 60,
    ...given,
  });
}

describe('an S3 storage', () => {
  let server: Awaited<ReturnType<typeof startS3>>;
  beforeAll(async () => {
    server = await startS3(BUCKET);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('returns a stored file with its type and length', async () => {
    const storage = storageAt(server.origin);
    await storage.put('2026/11/22/a.png', TEN, 'image/png');

    const found = await storage.get('2026/11/22/a.png');

    expect(found).toMatchObject({ contentType: 'image/png', bytes: 10 });
    expect(found && (await text(found.body))).toBe('0123456789');
  });

  it.each(['-.-', '_/.a/-/b_', 'A-Za-z0-9._-', 'a/b.tar.gz', `${'a/'.repeat(200)}b`])(
    'separates %s from others, with and without a prefix',
    async (path) => {
      const [plain, below] = [storageAt(server.origin), storageAt(server.origin, { prefix: 'x/y' })];
      await plain.put(path, TEN, 'text/plain');
      await below.put(path, Buffer.from('below'), 'text/plain');

      const found = await Promise.all([plain.get(path), below.get(path), plain.get(`x/y/${path}`)]);

      expect(await Promise.all(found.map(async (each) => each && (await text(each.body))))).toEqual([
        '0123456789',
        'below',
        'below',
      ]);
    },
  );

  it('uploads a large file in parts, and an empty file', async () => {
    const storage = storageAt(server.origin);
    const large = Buffer.alloc(5_000_000, 'abcdefg');
    await storage.put('large', large, 'image/png');
    await storage.put('empty', Buffer.alloc(0), 'text/plain');

    const [found, empty] = [await storage.get('large'), await storage.get('empty')];

    expect(found && (await buffer(found.body)).equals(large)).toBe(true);
    expect(empty && [empty.bytes, await text(empty.body)]).toEqual([0, '']);
  });

  it('returns nothing for a missing or deleted file', async () => {
    const storage = storageAt(server.origin);
    await storage.put('gone', TEN, 'text/plain');

    await storage.delete('gone');
    await storage.delete('gone');

    expect([await storage.get('gone'), await storage.get('never')]).toEqual([undefined, undefined]);
  });

  it('creates links that download one file until they expire', async () => {
    const storage = storageAt(server.origin, { prefix: 'p', now: () => 1_000_000 });
    await storage.put('a/b_c.html', TEN, 'text/html');
    const { url, expiresAt } = await storage.link('a/b_c.html');

    const answer = await fetch(url);
    const other = await fetch(url.replace('b_c.html', 'b_d.html'));
    const longer = await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'));

    expect([answer.status, await answer.text()]).toEqual([200, '0123456789']);
    expect(answer.headers.get('content-disposition')).toBe('attachment');
    expect([other.status, longer.status]).toEqual([403, 403]);
    expect(expiresAt).toEqual(new Date(1_060_000));
  });

  it.each<[string, Given, string]>([
    ['a wrong key', { storageSecretAccessKey: 'wrong' }, 'STORAGE_SECRET_ACCESS_KEY is not the key'],
    ['an unknown key', { storageAccessKeyId: 'wrong' }, 'the storage service does not know STORAGE_ACCESS_KEY_ID'],
    ['no such bucket', { bucket: 'elsewhere' }, 'the bucket of STORAGE does not exist'],
  ])('reports that there is %s, as a permanent error', async (_, given, words) => {
    const storage = storageAt(server.origin, given);

    const calls = [storage.put('a', TEN, 'text/plain'), storage.get('a')];

    const refusal = { message: expect.stringContaining(words), isRetryable: false };
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(refusal)));
  });
});

describe('a faulty S3 service', () => {
  const secret = 'a-very-secret-key';
  const failureAt = async (answer: RequestListener): Promise<unknown> => {
    await using server = await startFalseS3(answer);
    const storage = storageAt(server.origin, { storageSecretAccessKey: secret, timeoutMs: TIMEOUT_MS });
    return await storage.put('a', TEN, 'text/plain').catch((error: unknown) => error);
  };

  it.each<[string, RequestListener, string, boolean]>([
    [
      'is overloaded',
      (_, response) => response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>'),
      'STORAGE_ENDPOINT answers 503 (SlowDown)',
      true,
    ],
    [
      'reveals a key in its error',
      (_, response) => response.writeHead(400).end(`<Error><Code>Odd</Code><Key>${secret}</Key></Error>`),
      'STORAGE_ENDPOINT answers 400 (Odd)',
      false,
    ],
    [
      'sends an endless error',
      (_, response) => {
        const more = (): void => {
          while (response.write('x'.repeat(10_000)));
          response.once('drain', more);
        };
        response.writeHead(500);
        more();
      },
      'STORAGE_ENDPOINT answers 500',
      true,
    ],
    ['never answers', () => undefined, 'STORAGE_ENDPOINT gives no answer within 1 seconds', true],
    [
      'stalls within an answer',
      (_, response) => response.writeHead(200, { 'content-length': '10' }).write('x'),
      'STORAGE_ENDPOINT gives no answer within 1 seconds',
      true,
    ],
    [
      'cuts the connection',
      (request) => request.socket.destroy(),
      'STORAGE_ENDPOINT cannot be reached, or is interrupted (UND_ERR_SOCKET)',
      true,
    ],
    [
      'speaks another protocol',
      (request) => request.socket.end('220 mail.test ESMTP\r\n'),
      expect.stringMatching(/^STORAGE_ENDPOINT cannot be reached, or is interrupted \(/),
      true,
    ],
    [
      'redirects',
      (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      'STORAGE_ENDPOINT redirects, and redirects are not followed',
      false,
    ],
    [
      'is in another region',
      (_, response) => response.writeHead(301).end('<Error><Code>PermanentRedirect</Code></Error>'),
      'the bucket of STORAGE is in another region than STORAGE_REGION',
      false,
    ],
    [
      'is a plain web server',
      (_, response) => response.end('<h1>Hello</h1>'),
      'STORAGE_ENDPOINT does not answer as S3 does',
      false,
    ],
  ])('%s: is reported as a clear error', async (_, answer, message, isRetryable) => {
    const failure = await failureAt(answer);

    expect(failure).toMatchObject({ name: 'StorageProblem', message, isRetryable });
    expect(String(failure)).not.toContain(secret);
  });

  it('interrupts a file: the reader gets an error', async () => {
    await using server = await startFalseS3((_, response) => {
      response.writeHead(200, { 'content-length': '10', etag: '"a"' }).write('01234');
    });
    const found = await storageAt(server.origin, { timeoutMs: TIMEOUT_MS }).get('a');
    const pieces: unknown[] = [];

    const reading = async (): Promise<void> => {
      for await (const piece of found?.body ?? []) pieces.push(String(piece));
    };

    await expect(reading()).rejects.toThrow('STORAGE_ENDPOINT stopped in the middle of an answer');
    expect(pieces).toEqual(['01234']);
  });

  it('sits behind a compressing proxy: files arrive unchanged', async () => {
    await using server = await startFalseS3(({ headers }, response) => {
      const isPacked = headers['accept-encoding']?.includes('gzip') === true;
      const body = isPacked ? gzipSync(TEN) : TEN;
      if (isPacked) response.setHeader('content-encoding', 'gzip');
      response.writeHead(200, { 'content-length': body.length, etag: '"a"' }).end(body);
    });
    const found = await storageAt(server.origin).get('a');

    expect(found && [found.bytes, await text(found.body)]).toEqual([10, '0123456789']);
  });

  it('is not blocked by an unread file', async () => {
    await using server = await startFalseS3((_, response) => {
      response.writeHead(200, { 'content-length': '10', etag: '"a"' }).write('01234');
    });
    const found = await storageAt(server.origin).get('a');
    const cancel = vi.spyOn(ReadableStreamDefaultReader.prototype, 'cancel');
    try {
      if (found !== undefined) await once(found.body.destroy(), 'close');

      expect(cancel).toHaveBeenCalledOnce(); // otherwise the connection stays open until garbage collection
    } finally {
      cancel.mockRestore();
    }
  });

  it('is unreachable: it is reported as a clear error', async () => {
    const { origin, ...server } = await startFalseS3(() => undefined);
    await server[Symbol.asyncDispose]();

    await expect(storageAt(origin).put('a', TEN, 'text/plain')).rejects.toMatchObject({
      message: 'STORAGE_ENDPOINT cannot be reached, or is interrupted (ECONNREFUSED)',
      isRetryable: true,
    });
  });
});
