import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createS3Storage } from '../../../src/parts/storage/s3-storage.ts';
import type { Storage } from '../../../src/parts/storage/storage.ts';
import { startFalseS3 } from '../../support/s3.ts';

const TEN = Buffer.from('0123456789');
const TIMEOUT_MS = 900; // the first request of a busy machine may take 300 ms

function storageAt(storageEndpoint: string): Storage {
  return createS3Storage({
    storageEndpoint,
    storageRegion: 'us-east-1',
    storageAccessKeyId: 'key',
    storageSecretAccessKey: 'a-very-secret-key',
    bucket: 'captures',
    prefix: '',
    linkTtlSeconds: 60,
    timeoutMs: TIMEOUT_MS,
  });
}

type Call = (storage: Storage) => Promise<unknown>;

const CALLS = {
  put: (storage: Storage) => storage.put('a', TEN, 'text/plain'),
  get: async (storage: Storage) => {
    const found = await storage.get('a');
    return found === undefined ? 'missing' : await buffer(found.body);
  },
  delete: (storage: Storage) => storage.delete('a'),
} as const satisfies Record<string, Call>;

/** The outcome of each call, and how long all of them took. */
async function outcomesAt(answer: RequestListener, calls: readonly Call[] = Object.values(CALLS)) {
  await using server = await startFalseS3(answer);
  const storage = storageAt(server.origin);
  const startedAt = performance.now();
  const outcomes = await Promise.all(calls.map((call) => call(storage).catch((error: unknown) => error)));
  return { outcomes, ms: performance.now() - startedAt };
}

const xml =
  (status: number, code: string): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Resource>/secret</Resource></Error>`);

describe('an S3 service that fails', () => {
  it.each<[string, RequestListener, string, boolean]>([
    ['InternalError', xml(500, 'InternalError'), 'STORAGE_ENDPOINT answers 500 (InternalError)', true],
    ['SlowDown', xml(503, 'SlowDown'), 'STORAGE_ENDPOINT answers 503 (SlowDown)', true],
    ['MinIO is starting', xml(503, 'XMinioServerNotInitialized'), 'answers 503 (XMinioServer', true],
    ['the disks of MinIO are full', xml(507, 'XMinioStorageFull'), 'the disks of the storage service', true],
    ['the quota of MinIO', xml(400, 'XMinioAdminBucketQuotaExceeded'), 'quota of the storage service', false],
    ['AccessDenied', xml(403, 'AccessDenied'), 'STORAGE_ACCESS_KEY_ID has no permission', false],
    ['an expired key', xml(400, 'ExpiredToken'), 'STORAGE_ACCESS_KEY_ID has expired', false],
    ['a clock that is a day ahead', xml(403, 'RequestTimeTooSkewed'), 'the clock of this machine', false],
    ['403 of a proxy', (_, response) => response.writeHead(403).end('<h1>no</h1>'), 'answers 403', false],
    ['404 of a proxy', (_, response) => response.writeHead(404).end('<h1>no</h1>'), 'answers 404', false],
    ['a slow upload', xml(400, 'RequestTimeout'), 'answers 400 (RequestTimeout)', true],
    ['changed bytes', xml(400, 'BadDigest'), 'received other bytes', true],
    ['a concurrent request', xml(409, 'OperationAborted'), 'answers 409 (OperationAborted)', true],
    ['a closed connection', (request) => request.socket.destroy(), 'cannot be reached, or is', true],
    ['silence', () => undefined, 'gives no answer within 1 seconds', true],
    [
      'an error that is sent byte by byte',
      (_, response) => {
        response.writeHead(500);
        const timer = setInterval(() => response.write('<'), 20);
        response.once('close', () => clearInterval(timer));
      },
      'gives no answer within 1 seconds',
      true,
    ],
  ])('ends each call with a clear error: %s', async (_, answer, message, isRetryable) => {
    const { outcomes, ms } = await outcomesAt(answer);

    const error = { name: 'StorageProblem', message: expect.stringContaining(message), isRetryable };
    expect(outcomes).toMatchObject([error, error, error]);
    expect(JSON.stringify(outcomes.map(String))).not.toContain('secret');
    expect(ms).toBeLessThan(5 * TIMEOUT_MS);
  });

  it.each([301, 302, 303, 307, 308])(
    'redirects with %i: the target gets no request and no signed header',
    async (status) => {
      const requests: unknown[] = [];
      await using target = await startFalseS3(({ headers }, response) => {
        requests.push(headers);
        response.writeHead(200, { etag: '"a"' }).end();
      });
      const location = target.origin.replace('127.0.0.1', 'localhost');

      const { outcomes } = await outcomesAt((_, response) =>
        response.writeHead(status, { location: `${location}/captures/a` }).end(),
      );

      const error = {
        message: 'STORAGE_ENDPOINT redirects, and redirects are not followed',
        isRetryable: false,
      };
      expect(outcomes).toMatchObject([error, error, error]);
      expect(requests).toEqual([]);
    },
  );

  // Each byte restarted the time limit: such a file held its reader for ever.
  it('sends a file byte by byte: the reader gets an error in time', async () => {
    const { outcomes, ms } = await outcomesAt(
      (_, response) => {
        response.writeHead(200, { 'content-length': '100000' });
        const timer = setInterval(() => response.write('x'), 20);
        response.once('close', () => clearInterval(timer));
      },
      [CALLS.get],
    );

    expect(outcomes).toMatchObject([{ message: expect.stringContaining('sends it too slowly') }]);
    expect(ms).toBeLessThan(5 * TIMEOUT_MS);
  });

  it.each<[string, RequestListener, string]>([
    [
      'cuts a file',
      (_, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('01234', () => response.destroy());
      },
      'STORAGE_ENDPOINT cannot be reached, or is interrupted',
    ],
    [
      'sends more bytes than it has announced',
      (_, response) => {
        const packed = gzipSync(Buffer.alloc(10_000));
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed);
      },
      'STORAGE_ENDPOINT does not answer as S3 does',
    ],
    [
      'sends a file without its length',
      (_, response) => response.writeHead(200).end('0123456789'),
      'STORAGE_ENDPOINT does not answer as S3 does',
    ],
    ['sends 204 for a file', (_, response) => response.writeHead(204).end(), 'STORAGE_ENDPOINT answers 204'],
    [
      'sends a part of a file',
      (_, response) => response.writeHead(206, { 'content-length': '5' }).end('01234'),
      'STORAGE_ENDPOINT answers 206',
    ],
  ])('%s: the reader gets a clear error, and never a missing or a shorter file', async (_, answer, message) => {
    const { outcomes } = await outcomesAt(answer, [CALLS.get]);

    expect(outcomes).toMatchObject([{ name: 'StorageProblem', message: expect.stringContaining(message) }]);
  });

  it.each([0, 10, 9_000_000])('gets the checksum of %i bytes, so that it can refuse others', async (bytes) => {
    const body = Buffer.alloc(bytes, 'abcdefg');
    const given: unknown[] = [];
    const answer: RequestListener = (request, response) => {
      const sum = createHash('md5');
      request.on('data', (piece: Buffer) => sum.update(piece));
      request.once('end', () => {
        given.push([request.headers['content-md5'], sum.digest('base64')]);
        response.writeHead(200, { etag: '"a"' }).end();
      });
    };

    const { outcomes } = await outcomesAt(answer, [(storage) => storage.put('a', body, 'text/plain')]);

    const sum = createHash('md5').update(body).digest('base64');
    expect([outcomes, given]).toEqual([[undefined], [[sum, sum]]]);
  });

  it.each(['XMinioParentIsObject', 'XMinioObjectExistsAsDirectory'])(
    'has other objects at the path (%s): the client gets a ValidationError',
    async (code) => {
      const { outcomes } = await outcomesAt(xml(400, code), [CALLS.put]);

      expect(outcomes).toMatchObject([{ type: 'ValidationError', details: expect.stringMatching(/^store_path/) }]);
    },
  );
});
