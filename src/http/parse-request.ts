import type { Request } from 'express';
import type { CaptureOptions } from '../capture/options.ts';
import { parseOptions, parseTextOptions } from '../capture/parse-options.ts';
import { checkSignedFields, type SensitiveField } from '../capture/sensitive-fields.ts';
import { validationError } from '../errors.ts';
import type { Query } from './query.ts';
import { hasBody } from './read-body.ts';

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
 * beside it is refused, so that the holder of a signed link can not widen what was signed. Otherwise a POST has them in its body.
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
    const isInQuery = request.method === 'GET' || namesFields(query);
    if (isInQuery && hasBody(request.headers)) {
      throw validationError(
        'The request takes its parameters from the query: a body is not accepted beside it',
      );
    }
    if (isSigned) checkSignedFields(query, signedUrlAllow);
    if (isInQuery) return optionsOf(query);
    const body: unknown = request.body;
    return parseOptions(body === undefined ? {} : body, limits);
  };
}

function namesFields(query: Query): boolean {
  return [...query.keys()].some((name) => !SIGNATURE_PARAMETERS.has(name));
}
