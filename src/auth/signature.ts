import { createHmac } from 'node:crypto';

import { ServiceError, validationError } from '../errors.ts';
import { equalInConstantTime } from './constant-time.ts';
import { describeHiddenField, findHiddenField, stringToSign } from './signed-text.ts';

const DIGITS_ONLY = /^\d+$/;

interface SignedRequest {
  /** The first value of each query parameter, decoded. */
  readonly params: ReadonlyMap<string, string>;
  /** Undefined or empty: signed URLs are off, and no signature is good. */
  readonly secret: string | undefined;
  readonly nowSeconds: number;
  /** Names of the request fields; a value that could hide one of them is refused. */
  readonly knownFields: Iterable<string>;
}

/**
 * Passes when the parameters were signed with the secret and have not expired. A missing signature is told first, then that the
 * link is over, then that the signature is wrong.
 * Without `expires` a signature does not expire; one over nothing at all, which would let its holder capture whatever they like,
 * is refused.
 * @throws ServiceError InvalidSignatureError, SignatureExpiredError; ValidationError when the signature is good but
 * the signed text can be read in two ways.
 */
export function verifySignature({ params, secret, nowSeconds, knownFields }: SignedRequest): void {
  const signature = params.get('signature');
  if (signature === undefined || signature === '') {
    throw new ServiceError('InvalidSignatureError', 'Missing signature');
  }
  // Anybody can compute an HMAC with an empty key, so "not configured" must never reach the comparison.
  if (secret === undefined || secret === '') throw new ServiceError('InvalidSignatureError');

  refuseExpired(params, nowSeconds);
  if (!equalInConstantTime(signature, sign(params, secret))) throw new ServiceError('InvalidSignatureError');
  refuseAmbiguity(params, knownFields);
  if (stringToSign(params) === '') {
    throw new ServiceError('InvalidSignatureError', 'A signed URL without capture parameters needs expires');
  }
}

/**
 * Passes until the end of `expires`, and always without one.
 * @throws ServiceError SignatureExpiredError; InvalidSignatureError when it is no number.
 */
export function refuseExpired(params: ReadonlyMap<string, string>, nowSeconds: number): void {
  const expires = params.get('expires');
  if (expires === undefined) return;
  if (!DIGITS_ONLY.test(expires)) throw new ServiceError('InvalidSignatureError');
  if (nowSeconds > Number(expires)) throw new ServiceError('SignatureExpiredError');
}

/**
 * The signature of the parameters: HMAC-SHA256, base64url without padding. A `signature` among them is left out.
 * @throws Error when the secret is empty.
 */
export function sign(params: ReadonlyMap<string, string>, secret: string): string {
  if (secret === '') throw new Error('A signing secret must not be empty');
  return createHmac('sha256', secret).update(stringToSign(params), 'utf8').digest('base64url');
}

/** The percent-encoded query of a signed link, parameters in the order given, `signature` last. */
export function signedQuery(params: ReadonlyMap<string, string>, secret: string): string {
  const query = new URLSearchParams([...params]);
  query.delete('signature');
  query.append('signature', sign(params, secret));
  return query.toString();
}

/** A name with `&` or `=` in it would be as ambiguous as a value; see `findHiddenField`. */
function refuseAmbiguity(params: ReadonlyMap<string, string>, knownFields: Iterable<string>): void {
  if ([...params.keys()].some((name) => /[&=]/.test(name))) {
    throw validationError('A parameter name of a signed URL must not contain "&" or "=".');
  }
  const hidden = findHiddenField(params, knownFields);
  if (hidden !== undefined) throw validationError(describeHiddenField(hidden));
}
