import type { Request, RequestHandler } from 'express';
import type { RequestOptions } from '../../capture/request/options.ts';
import { readTextFields } from '../../capture/request/parse-options.ts';
import { checkSignedFields, optionsOfLink } from '../../capture/request/sensitive-fields.ts';
import { validationError } from '../../ground/errors.ts';
import type { Key } from '../../access/key.ts';
import { checkKeyFields } from '../../capture/request/request-parser.ts';
import type { Link, Query } from '../request/link.ts';
import { hasBody } from '../request/read-body.ts';
import { contextOf, type RequestContext } from '../request/request-context.ts';
import type { Core } from './route.ts';

/** Parameters of the signature, which are not capture fields. */
const SIGNATURE_PARAMETERS = new Set(['expires', 'key', 'signature']);

export type ParseRules = Pick<Core, 'config' | 'parseFields'>;

/**
 * Parses the options of a capture request. If the query names a capture field, all fields must be in the query,
 * whatever the method, so that the holder of a signed link can't extend it. A body beside such a query was refused
 * before (`refuseSecondSource`). Otherwise a POST has its fields in the body.
 * @throws ServiceError ValidationError, and those of `ParseFields`
 */
export function createParseRequest({
  config: { signedUrlAllow },
  parseFields,
}: ParseRules): (request: Request, context: RequestContext) => Promise<RequestOptions> {
  const optionsOf = async (link: Link, key: Key | undefined): Promise<RequestOptions> => {
    const given = new Map([...link.query].filter(([name]) => !SIGNATURE_PARAMETERS.has(name)));
    if (link.options !== undefined) {
      if (key !== undefined) checkKeyFields(Object.fromEntries(given), key);
      return link.options;
    }
    const options = await parseFields(readTextFields(given), { key });
    Object.freeze(options.capture); // requests of the same link share it
    if (!given.has('template')) link.options = options; // a template may change between two requests
    return options;
  };

  return async (request, { link, key, credential }) => {
    const isSigned = credential === 'link';
    if (isSigned) checkSignedFields(link.query, signedUrlAllow);
    if (isInQuery(request, link)) {
      const options = await optionsOf(link, key);
      return isSigned ? optionsOfLink(options, link.query) : options;
    }
    const body: unknown = request.body;
    // The holder of a pass chooses the fields of the body, but must not write into the storage.
    const writing = writingFieldsOf(body);
    if (isSigned) checkSignedFields(writing, signedUrlAllow);
    const options = await parseFields(body === undefined ? {} : body, { key });
    return isSigned ? optionsOfLink(options, writing) : options;
  };
}

/**
 * Refuses a body beside a query with capture fields by its headers: reading it would be useless, and the holder of a
 * signed link could fill the memory.
 */
export const refuseSecondSource: RequestHandler = (request, response, next) => {
  if (hasBody(request.headers) && isInQuery(request, contextOf(response).link)) {
    throw validationError('The request has its parameters in the query and must not have a body');
  }
  next();
};

function writingFieldsOf(body: unknown): ReadonlySet<string> {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  return new Set(names.filter((name) => name === 'store' || name === 'store_path'));
}

function isInQuery({ method }: Request, { query }: Link): boolean {
  return method === 'GET' || namesFields(query);
}

function namesFields(query: Query): boolean {
  return [...query.keys()].some((name) => !SIGNATURE_PARAMETERS.has(name));
}
