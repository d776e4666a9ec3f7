import type { Request, RequestHandler } from 'express';
import type { CaptureOptions } from '../../capture/request/options.ts';
import { type ParseLimits, parseOptions, parseTextOptions } from '../../capture/request/parse-options.ts';
import { checkSignedFields } from '../../capture/request/sensitive-fields.ts';
import type { Config } from '../../config/settings.ts';
import { validationError } from '../../errors.ts';
import type { Link, Query } from '../request/link.ts';
import { hasBody } from '../request/read-body.ts';
import { contextOf } from '../request/request-context.ts';

/** They belong to the signature, and are no capture parameters. */
const SIGNATURE_PARAMETERS = new Set(['expires', 'signature']);

export type ParseRules = Pick<
  Config,
  'signedUrlAllow' | 'maxWaitMs' | 'cacheTtl' | 'captureTimeoutMs' | 'maxPixels'
> &
  Pick<ParseLimits, 'canStore'>;

/** A request that was let in, by a link or otherwise. */
interface AdmittedRequest {
  readonly request: Request;
  readonly link: Link;
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
  const optionsOf = (link: Link): CaptureOptions => {
    const fields = [...link.query].filter(([name]) => !SIGNATURE_PARAMETERS.has(name));
    return (link.options ??= Object.freeze(parseTextOptions(new Map(fields), limits)));
  };

  return ({ request, link, isSigned }) => {
    if (isSigned) checkSignedFields(link.query, signedUrlAllow);
    if (isInQuery(request, link)) return optionsOf(link);
    const body: unknown = request.body;
    return parseOptions(body === undefined ? {} : body, limits);
  };
}

/**
 * Refuses a body beside a query with capture parameters, by its headers: it would be read in vain, and the holder of a signed link
 * could fill the memory with it.
 */
export const refuseSecondSource: RequestHandler = (request, response, next) => {
  if (hasBody(request.headers) && isInQuery(request, contextOf(response).link)) {
    throw validationError(
      'The request takes its parameters from the query: a body is not accepted beside it',
    );
  }
  next();
};

function isInQuery({ method }: Request, { query }: Link): boolean {
  return method === 'GET' || namesFields(query);
}

function namesFields(query: Query): boolean {
  return [...query.keys()].some((name) => !SIGNATURE_PARAMETERS.has(name));
}
