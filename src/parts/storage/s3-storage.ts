import { StorageProblem } from '../../core/ground/errors.ts';
import { createHash, getFips } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { S3mini } from 's3mini';
import { createS3Fetch, interrupted, transferLimitMs } from './s3-fetch.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import type { Storage } from './storage.ts';
import type { StorageSettings } from './storage-setting.ts';

const TIMEOUT_MS = 20_000;
/** Bytes that are hashed without a pause: about 7 ms. */
const HASHED_AT_ONCE = 4_194_304;

interface S3StorageOptions extends Pick<
  StorageSettings,
  'storageEndpoint' | 'storageRegion' | 'storageAccessKeyId' | 'storageSecretAccessKey'
> {
  readonly bucket: string;
  /** Empty if there is no prefix. */
  readonly prefix: string;
  readonly linkTtlSeconds: number;
  /**
   * Time limit for the start of an answer, and for each of its pieces. The whole file may take one more second for each
   * megabyte.
   */
  readonly timeoutMs?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * Stores results as objects of a bucket, below its prefix. Only this file uses the S3 client. Links are presigned and
 * lead to the bucket. Errors are StorageProblem; nothing is retried here.
 */
export function createS3Storage({
  storageEndpoint,
  storageRegion: region,
  storageAccessKeyId: accessKeyId = '',
  storageSecretAccessKey: secretAccessKey = '',
  bucket,
  prefix,
  linkTtlSeconds,
  timeoutMs = TIMEOUT_MS,
  now = Date.now,
}: S3StorageOptions): Storage {
  const origin = storageEndpoint ?? `https://s3.${region}.amazonaws.com`;
  const client = new S3mini({
    accessKeyId,
    secretAccessKey,
    endpoint: `${origin}/${bucket}`,
    region,
    fetch: createS3Fetch({ timeoutMs }),
  });
  const keyOf = (path: string): string => (prefix === '' ? path : `${prefix}/${path}`);

  return {
    put: async (path, body, contentType) => {
      const checksum = await checksumOf(body);
      const { headers } = await client.putObject(keyOf(path), body, contentType, undefined, checksum);
      // A web server without S3 may accept any request.
      if (!headers.has('etag')) throw noS3();
    },
    get: async (path) => {
      const answer = await client.getObjectResponse(keyOf(path));
      if (answer === null) return undefined;
      const { body, headers } = answer;
      const length = headers.get('content-length');
      if (body === null || length === null) {
        await body?.cancel();
        throw noS3();
      }
      const contentType = headers.get('content-type') ?? 'application/octet-stream';
      return {
        body: readableOf(body, Number(length), timeoutMs),
        contentType,
        bytes: Number(length),
      };
    },
    delete: async (path) => {
      await client.deleteObject(keyOf(path));
    },
    link: async (path) => {
      const signedAt = now();
      // Stored pages must not run at the address of the bucket.
      const disposition = { 'response-content-disposition': 'attachment' };
      const url = await client.getPresignedUrl('GET', keyOf(path), linkTtlSeconds, disposition);
      return { url, expiresAt: new Date(signedAt + linkTtlSeconds * 1_000) };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/**
 * Returns the header with which S3 refuses changed bytes, because the signature does not cover them. Returns none in
 * FIPS mode, which does not allow MD5.
 */
async function checksumOf(body: Uint8Array): Promise<Record<string, string>> {
  if (getFips() === 1) return {};
  const hash = createHash('md5');
  for (let at = 0; at < body.length; at += HASHED_AT_ONCE) {
    if (at > 0) await endOfTurn();
    hash.update(body.subarray(at, at + HASHED_AT_ONCE));
  }
  return { 'content-md5': hash.digest('base64') };
}

/**
 * Requests the pieces one by one, so that the time limit covers only the bucket, not slow readers. The whole file has a
 * time limit too: a bucket that sends one byte at a time would hold the reader for ever.
 */
async function* piecesOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  bytes: number,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  let [leftBytes, leftMs] = [bytes, transferLimitMs(bytes, timeoutMs)];
  for (;;) {
    const startedAt = performance.now();
    const reading = reader.read().catch((error: unknown) => {
      throw interrupted(error);
    });
    const { value } = await withTimeout(reading, Math.min(timeoutMs, Math.max(1, leftMs)), stopped);
    leftMs -= performance.now() - startedAt;
    leftBytes -= value?.length ?? 0;
    if (leftBytes < 0 || (value === undefined && leftBytes > 0)) throw noS3();
    if (value === undefined) return;
    yield value;
  }
}

/** Converts to a Node stream. Destroying it closes the connection, started or not. */
function readableOf(body: ReadableStream<Uint8Array>, bytes: number, timeoutMs: number): Readable {
  const reader = body.getReader();
  const pieces = Readable.from(piecesOf(reader, bytes, timeoutMs), { objectMode: false });
  pieces.once('close', () => {
    reader.cancel().catch(() => undefined); // the stream was interrupted already
  });
  return pieces;
}

function stopped(): StorageProblem {
  return new StorageProblem('STORAGE_ENDPOINT stopped in the middle of an answer, or sends it too slowly', {
    isRetryable: true,
  });
}

function noS3(): StorageProblem {
  return new StorageProblem('STORAGE_ENDPOINT does not answer as S3 does', { isRetryable: false });
}
