import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError, validationError } from '../../errors.ts';
import type { MemoryBudget } from '../../memory-budget.ts';
import { jsonShapeProblem } from './json-shape.ts';

/** application/json in UTF-8 only: a lenient decoder would capture other text than was sent. */
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/** Bytes of each body that need no reservation: requests with a URL are served even if memory is short. */
const FREE_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 5;

/** Refuses a body by its headers, before reading it. */
export function createBodyCheck(maxBodyBytes: number): RequestHandler {
  return (request, _response, next) => {
    if (hasBody(request.headers)) {
      const isPlain = request.get('Content-Encoding') === undefined;
      if (!isPlain || !JSON_TYPE.test(request.get('Content-Type') ?? '')) {
        throw new ServiceError('UnsupportedMediaTypeError');
      }
      if (announcedBytes(request) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    }
    next();
  };
}

/**
 * Reads the JSON body of a POST up to the limit. Leaves `request.body` undefined if there is none. Its bytes count against the budget
 * until the request is answered, because the parsed values are held until then.
 */
export function createReadBody(maxBodyBytes: number, budget: MemoryBudget): RequestHandler {
  return async (request, response, next) => {
    if (hasBody(request.headers)) {
      const take = takeRoom(request, response, budget);
      if (request.headers.expect !== undefined) response.writeContinue();
      request.body = parseJson(await readBytes(request, maxBodyBytes, take));
    }
    next();
  };
}

/** @throws ServiceError OverloadedError if there is no memory for the announced length */
function takeRoom(request: Request, response: Response, budget: MemoryBudget): (bytes: number) => boolean {
  const client = request.ip;
  if (!budget.hasRoomFor(Math.max(0, announcedBytes(request) - FREE_BYTES), client)) throw noRoom();
  let free = FREE_BYTES;
  let taken = 0;
  response.once('close', () => {
    budget.give(taken, client);
    taken = 0;
  });
  return (bytes) => {
    const counted = Math.max(0, bytes - free);
    free -= bytes - counted;
    if (response.destroyed || !budget.take(counted, client)) return false;
    taken += counted;
    return true;
  };
}

/** Reads at most `limit` bytes. A longer body is refused at the first byte above it; `lingerAfterAnswer` discards the rest. */
function readBytes(request: Request, limit: number, take: (bytes: number) => boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = createByteGatherer(take);
    let length = 0;
    const refuse = (error: ServiceError): void => {
      request.off('data', onData).pause();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) refuse(tooLarge(limit));
      else if (!gathered.add(chunk)) refuse(noRoom());
    };
    request.on('data', onData);
    request.once('end', () => resolve(gathered.finish()));
    request.once('error', () => reject(validationError('The body is not complete')));
  });
}

/** True if the headers announce a body. */
export function hasBody(headers: { readonly [name: string]: unknown }): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function announcedBytes({ headers }: Request): number {
  return Number(headers['content-length'] ?? 0);
}

function tooLarge(maxBodyBytes: number): ServiceError {
  const details = `The body may have at most ${maxBodyBytes} bytes`;
  return new ServiceError('PayloadTooLargeError', undefined, { details });
}

function noRoom(): ServiceError {
  return new ServiceError('OverloadedError', 'Too many large request bodies at once', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw validationError('The body must be JSON in UTF-8');
  const problem = jsonShapeProblem(bytes);
  if (problem !== undefined) throw validationError(problem);
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    return parsed;
  } catch (error) {
    throw validationError('The body must be valid JSON', error);
  }
}

/** Collects bytes that arrive in pieces of any size: a body of ten megabytes may come as ten million pieces. */
interface ByteGatherer {
  /** Adds bytes. False, without adding them, if there is not enough memory. */
  readonly add: (piece: Buffer) => boolean;
  /** Returns all bytes. Call it once. */
  readonly finish: () => Buffer;
}

const [FIRST_BLOCK_BYTES, LARGEST_BLOCK_BYTES] = [4_096, 1_048_576];

/** @param take reserves memory, before it is used */
function createByteGatherer(take: (bytes: number) => boolean): ByteGatherer {
  let blocks: Buffer[] = [];
  let filled = 0; // used bytes of the last block
  let total = 0;

  return {
    add: (piece) => {
      for (let at = 0; at < piece.length;) {
        let block = blocks.at(-1);
        if (block === undefined || filled === block.length) {
          const size = Math.min(Math.max(FIRST_BLOCK_BYTES, total), LARGEST_BLOCK_BYTES);
          if (!take(size)) {
            blocks = [];
            return false;
          }
          block = Buffer.allocUnsafeSlow(size);
          blocks.push(block);
          filled = 0;
        }
        const copied = piece.copy(block, filled, at);
        filled += copied;
        total += copied;
        at += copied;
      }
      return true;
    },
    finish: () => {
      const all = Buffer.concat(blocks, total);
      blocks = [];
      return all;
    },
  };
}
