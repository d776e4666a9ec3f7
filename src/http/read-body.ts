import { isUtf8 } from 'node:buffer';
import { finished } from 'node:stream';
import type { Request, RequestHandler } from 'express';
import { ServiceError, validationError } from '../errors.ts';
import { jsonShapeProblem } from './json-shape.ts';

/** application/json, with UTF-8 as the only charset: a lenient decoder would capture other text than was sent. */
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

const DROP_LIMIT_MS = 3_000; // a body that never ends must not hold its socket

/** Reads the JSON body of a POST, within the limit and unparsed until then. Leaves `request.body` undefined where there is none. */
export function createReadBody(maxBodyBytes: number): RequestHandler {
  return async (request, _response, next) => {
    if (hasBody(request.headers)) {
      const isPlain = request.get('Content-Encoding') === undefined;
      if (!isPlain || !JSON_TYPE.test(request.get('Content-Type') ?? '')) {
        throw new ServiceError('UnsupportedMediaTypeError');
      }
      request.body = parseJson(await readBytes(request, maxBodyBytes));
    }
    next();
  };
}

/**
 * Reads at most so many bytes, and gives up as soon as it knows that there are more. `dropBody` sees to the rest.
 */
function readBytes(request: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): void => {
      request.off('data', onData).pause();
      const details = `The body may hold at most ${limit} bytes`;
      reject(new ServiceError('PayloadTooLargeError', undefined, { details }));
    };
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > limit) tooLarge();
    };
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      tooLarge();
      return;
    }
    request.on('data', onData);
    request.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    request.once('error', () => {
      reject(validationError('The body is not complete'));
    });
  });
}

/**
 * Reads what the client still sends and forgets it, for a while at most. A connection that is closed meanwhile is reset, and an
 * answer that was sent before is lost with it: so this comes before an answer to a request that was not read.
 */
export function dropBody(request: Request): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, DROP_LIMIT_MS);
    finished(request, () => {
      clearTimeout(timer);
      resolve();
    });
    request.resume();
  });
}

/** True when the request says that a body follows. */
export function hasBody(headers: { readonly [name: string]: unknown }): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
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
