import { pathTaken } from './storage-problem.ts';
import { errorCode, ServiceError, StorageProblem } from '../../core/ground/errors.ts';

const PIECE_BYTES = 65_536;
const MAX_ERROR_BYTES = 65_536;
/** Minimum transfer speed. Slower transfers are aborted: two minutes for 100 MB. */
const MIN_BYTES_PER_MS = 1_000;

/** Time limit of a transfer, without the time that we need ourselves. */
export function transferLimitMs(bytes: number, timeoutMs: number): number {
  return timeoutMs + bytes / MIN_BYTES_PER_MS;
}

interface S3FetchOptions {
  /** Time limit until the answer begins, without the time for sending. */
  readonly timeoutMs: number;
}

/**
 * Meanings of S3 error codes for operators, from https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 * and from MinIO (cmd/api-errors.go)
 */
const WORDS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'the storage service does not know STORAGE_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'STORAGE_SECRET_ACCESS_KEY is not the key of STORAGE_ACCESS_KEY_ID',
  AccessDenied: 'STORAGE_ACCESS_KEY_ID has no permission for this in the bucket of STORAGE',
  ExpiredToken: 'STORAGE_ACCESS_KEY_ID has expired',
  InvalidToken: 'the storage service does not know STORAGE_ACCESS_KEY_ID',
  NoSuchBucket: 'the bucket of STORAGE does not exist',
  InvalidBucketName: 'the bucket of STORAGE does not exist',
  PermanentRedirect: 'the bucket of STORAGE is in another region than STORAGE_REGION',
  AuthorizationHeaderMalformed: 'the bucket of STORAGE is in another region than STORAGE_REGION',
  IllegalLocationConstraintException: 'the bucket of STORAGE is in another region than STORAGE_REGION',
  InvalidRegion: 'the bucket of STORAGE is in another region than STORAGE_REGION',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  EntityTooLarge: 'the result is too large for the storage service',
  QuotaExceeded: 'the quota of the storage service is used up',
  XMinioAdminBucketQuotaExceeded: 'the quota of the storage service is used up',
  XMinioStorageFull: 'the disks of the storage service are full',
  BadDigest: 'the storage service received other bytes than were sent',
};

/**
 * Errors below 500 that a retry may avoid: the transfer was slow, was cut or was changed, or another request is under
 * way.
 */
const PASSING_CODES: readonly string[] = ['RequestTimeout', 'IncompleteBody', 'BadDigest', 'OperationAborted'];

/** MinIO keeps objects in folders: an object may not have the name of a folder, nor the other way round. */
const TAKEN_CODES: readonly string[] = ['XMinioParentIsObject', 'XMinioObjectExistsAsDirectory'];

/**
 * A `fetch` for the S3 client that returns only good answers: it does not follow redirects, has a time limit, does not
 * copy the body, and reads only the start of an error. A missing object is 404 for GET, and a success for DELETE.
 * @throws StorageProblem for everything else; ServiceError ValidationError for a path that other objects have taken
 */
export function createS3Fetch({ timeoutMs }: S3FetchOptions): typeof fetch {
  return async (input, { body, headers: given, ...init } = {}) => {
    const headers = new Headers(given);
    headers.set('accept-encoding', 'identity'); // compression by a proxy would change the length
    const bytes = body instanceof Uint8Array ? body : undefined;
    const limitMs = transferLimitMs(bytes?.length ?? 0, timeoutMs);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), limitMs);
    try {
      const answer = await fetch(input, {
        ...init,
        headers,
        ...(bytes && { body: inPieces(bytes), duplex: 'half' }),
        redirect: 'manual',
        signal: over.signal,
      });
      if (answer.status === 200 && init.method === 'GET') return answer;
      // Reads to the end, so that the connection can be reused.
      const text = await readStart(answer);
      const { ok, status } = answer;
      // The client takes 204 for a missing object, and 206 for a whole one.
      if (ok && init.method === 'GET') throw new StorageProblem(describe(status, undefined), { isRetryable: true });
      if (ok) return new Response(undefined, { headers: answer.headers });
      const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
      if (code === 'NoSuchKey') return new Response(undefined, { status: init.method === 'GET' ? 404 : 200 });
      if (code !== undefined && TAKEN_CODES.includes(code)) throw pathTaken();
      throw new StorageProblem(describe(status, code), { isRetryable: isRetryable(status, code) });
    } catch (error) {
      if (error instanceof StorageProblem || error instanceof ServiceError) throw error;
      if (!over.signal.aborted) throw interrupted(error);
      const message = `STORAGE_ENDPOINT gives no answer within ${Math.ceil(limitMs / 1_000)} seconds`;
      throw new StorageProblem(message, { cause: error, isRetryable: true });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Returns the error for a connection to S3 that fails, or ends before the answer is complete. */
export function interrupted(cause: unknown): StorageProblem {
  const reason = `cannot be reached, or is interrupted (${errorCode(cause) ?? 'unknown cause'})`;
  return new StorageProblem(`STORAGE_ENDPOINT ${reason}`, { cause, isRetryable: true });
}

/** Sends slices of the bytes, because the library would copy them as a whole. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, (at += PIECE_BYTES)));
      else controller.close();
    },
  });
}

async function readStart(answer: Response): Promise<string> {
  if (answer.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  // Leaving the loop early closes the connection.
  for await (const piece of answer.body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MAX_ERROR_BYTES) break;
  }
  return text;
}

/** Describes an error without its text, which may repeat keys and signed data. */
function describe(status: number, code: string | undefined): string {
  const words = code === undefined ? undefined : WORDS[code];
  if (words !== undefined) return words;
  if (status >= 300 && status < 400) return 'STORAGE_ENDPOINT redirects, and redirects are not followed';
  return `STORAGE_ENDPOINT answers ${status}${code === undefined ? '' : ` (${code.slice(0, 64)})`}`;
}

function isRetryable(status: number, code = ''): boolean {
  return status >= 500 || status === 429 || status === 408 || PASSING_CODES.includes(code);
}
