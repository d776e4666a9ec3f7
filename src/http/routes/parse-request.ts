import type { Request, RequestHandler } from 'express';
import type { CaptureOptions } from '../../capture/request/options.ts';
import { type ParseLimits, parseOptions, parseTextOptions } from '../../capture/request/parse-options.ts';
import { checkSignedFields } from '../../capture/request/sensitive-fields.ts';
import type { Config } from '../../config/settings.ts';
import { validationError } from '../../errors.ts';
import { checkFields } from '../request/rights.ts';
import type { Key } from '../../keys/key.ts';
import type { Link, Query } from '../request/link.ts';
import { hasBody } from '../request/read-body.ts';
import { contextOf } from '../request/request-context.ts';

/** Parameters of the signature, which are not capture fields. */
const SIGNATURE_PARAMETERS = new Set(['expires', 'key', 'signature']);

export type ParseRules = Pick<
  Config,
  'signedUrlAllow' | 'maxWaitMs' | 'cacheTtl' | 'captureTimeoutMs' | 'maxPixels'
> &
  Pick<ParseLimits, 'canStore'>;

/** An authenticated request. */
interface AdmittedRequest {
  readonly request: Request;
  readonly link: Link;
  readonly key: Key | undefined;
  readonly isSigned: boolean;
}

/**
 * Parses the options of a capture request. If the query names a capture field, all fields must be in the query, whatever the method, so
 * that the holder of a signed link can't extend it. A body beside such a query was refused before (`refuseSecondSource`). Otherwise a
 * POST has its fields in the body.
 * @throws ServiceError ValidationError
 */
export function createParseRequest({
  signedUrlAllow,
  ...limits
}: ParseRules): (admitted: AdmittedRequest) => CaptureOptions {
  const optionsOf = (link: Link): CaptureOptions => {
    const fields = [...link.query].filter(([name]) => !SIGNATURE_PARAMETERS.has(name));
    return (link.options ??= Object.freeze(parseTextOptions(new Map(fields), limits)));
  };

  return ({ request, link, key, isSigned }) => {
    if (isSigned) checkSignedFields(link.query, signedUrlAllow);
    if (isInQuery(request, link)) {
      checkFields(link.query.keys(), key);
      return optionsOf(link);
    }
    const body: unknown = request.body;
    if (typeof body === 'object' && body !== null) checkFields(Object.keys(body), key);
    return parseOptions(body === undefined ? {} : body, limits);
  };
}

/**
 * Refuses a body beside a query with capture fields by its headers: reading it would be useless, and the holder of a signed link could
 * fill the memory.
 */
export const refuseSecondSource: RequestHandler = (request, response, next) => {
  if (hasBody(request.headers) && isInQuery(request, contextOf(response).link)) {
    throw validationError('The request has its parameters in the query and must not have a body');
  }
  next();
};

function isInQuery({ method }: Request, { query }: Link): boolean {
  return method === 'GET' || namesFields(query);
}

function namesFields(query: Query): boolean {
  return [...query.keys()].some((name) => !SIGNATURE_PARAMETERS.has(name));
}
