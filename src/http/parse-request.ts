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
  /** The largest `wait_for_timeout`, in milliseconds. */
  readonly maxWaitMs: number;
  /** The `cache_ttl` of a request that has none, in seconds. */
  readonly cacheTtl: number;
  /** The fields with secrets or code that this query may hold; undefined where no link was signed, and any may. */
  readonly signedFields: readonly SensitiveField[] | undefined;
}

/**
 * The options of a capture request. A query that names any capture parameter holds all of them, whatever the method: a body
 * beside it is refused, so that the holder of a signed link can not widen what was signed. Otherwise a POST has them in its body.
 * @throws ServiceError ValidationError.
 */
export function parseRequest(
  request: Request,
  query: Query,
  { signedFields, ...limits }: ParseRules,
): CaptureOptions {
  const fields = new Map([...query].filter(([name]) => !SIGNATURE_PARAMETERS.has(name)));
  const bodyGiven = hasBody(request.headers);
  if (bodyGiven && (fields.size > 0 || request.method === 'GET')) {
    throw validationError(
      'The request takes its parameters from the query: a body is not accepted beside it',
    );
  }
  if (signedFields !== undefined) checkSignedFields(fields.keys(), signedFields);
  if (fields.size > 0 || request.method === 'GET') return parseTextOptions(fields, limits);
  const body: unknown = request.body;
  return parseOptions(body === undefined ? {} : body, limits);
}
