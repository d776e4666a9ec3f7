import type { Request, RequestHandler } from 'express';
import type { CaptureOptions } from '../../capture/request/options.ts';
import { parseOptions, parseTextOptions } from '../../capture/request/parse-options.ts';
import { checkSignedFields, type SensitiveField } from '../../capture/request/sensitive-fields.ts';
import { validationError } from '../../errors.ts';
import type { Query } from '../request/query.ts';
import { hasBody } from '../request/read-body.ts';
import { contextOf } from '../request/request-context.ts';

/** They belong to the signature, and are no capture parameters. */
const SIGNATURE_PARAMETERS = new Set(['expires', 'signature']);

interface ParseRules {
  /** The fields with secrets or code that a signed query may hold. */
  readonly signedUrlAllow: readonly SensitiveField[];
  /** The largest `wait_for_timeout`, in milliseconds. */
  readonly maxWaitMs: number;
  /** The `cache_ttl` of a request that has none, in seconds. */
  readonly cacheTtl: number;
  /** For a whole request, in milliseconds. */
  readonly captureTimeoutMs: number;
  /** Largest picture, in device pixels. */
  readonly maxPixels: number;
}

/** A request that was let in, by a link or otherwise. */
interface AdmittedRequest {
  readonly request: Request;
  readonly query: Query;
  readonly isSigned: boolean;
}

/**
 * Reads the options of a capture request. A query that names any capture parameter holds all of them, whatever the method: a body
 * beside it was refused (`refuseSecondSource`), so that the holder of a signed link can not widen what was signed. Otherwise a POST
 * has them in its body.
 * @throws ServiceError ValidationError.
 */
export function createParseRequest({
  signedUrlAllow,
  ...limits
}: ParseRules): (admitted: AdmittedRequest) => CaptureOptions {
  const parsed = new WeakMap<Query, CaptureOptions>();
  const optionsOf = (query: Query): CaptureOptions => {
    const known = parsed.get(query);
    if (known !== undefined) return known;
    const fields = [...query].filter(([name]) => !SIGNATURE_PARAMETERS.has(name));
    const options = Object.freeze(parseTextOptions(new Map(fields), limits));
    parsed.set(query, options);
    return options;
  };

  return ({ request, query, isSigned }) => {
    if (isSigned) checkSignedFields(query, signedUrlAllow);
    if (isInQuery(request, query)) return optionsOf(query);
    const body: unknown = request.body;
    return parseOptions(body === undefined ? {} : body, limits);
  };
}

/**
 * Refuses a body beside a query with capture parameters, by its headers: it would be read in vain, and the holder of a signed link
 * could fill the memory with it.
 */
export const refuseSecondSource: RequestHandler = (request, response, next) => {
  if (hasBody(request.headers) && isInQuery(request, contextOf(response).query)) {
    throw validationError(
      'The request takes its parameters from the query: a body is not accepted beside it',
    );
  }
  next();
};

function isInQuery({ method }: Request, query: Query): boolean {
  return method === 'GET' || namesFields(query);
}

function namesFields(query: Query): boolean {
  return [...query.keys()].some((name) => !SIGNATURE_PARAMETERS.has(name));
}
