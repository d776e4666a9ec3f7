import { isUtf8 } from 'node:buffer';
import type { RequestHandler } from 'express';
import express from 'express';
import { ServiceError, validationError } from '../errors.ts';
import { jsonShapeProblem } from './json-shape.ts';

/** application/json, with UTF-8 as the only charset: a lenient decoder would capture other text than was sent. */
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/** Reads the JSON body of a POST, within the limit and unparsed until then. Leaves `request.body` undefined where there is none. */
export function createReadBody(maxBodyBytes: number): RequestHandler {
  const readBytes = express.raw({ limit: maxBodyBytes, type: () => true, inflate: false });
  return (request, response, next) => {
    if (!hasBody(request.headers)) {
      next();
      return;
    }
    if (!JSON_TYPE.test(request.get('Content-Type') ?? '')) {
      next(new ServiceError('UnsupportedMediaTypeError'));
      return;
    }
    readBytes(request, response, (error?: unknown) => {
      try {
        if (error === undefined) request.body = parseJson(request.body);
        next(error);
      } catch (invalid) {
        next(invalid); // Express is no longer above us on the stack: thrown here, it would end the process
      }
    });
  };
}

/** True when the request says that a body follows. */
export function hasBody(headers: { readonly [name: string]: unknown }): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function parseJson(bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes)) return undefined;
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
