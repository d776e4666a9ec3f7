import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { ServiceError, validationError } from '../ground/errors.ts';
import { quoted } from '../ground/quoted.ts';
import { describeHiddenField, findHiddenField, stringToSign } from './signed-text.ts';

/** Maximum number of secrets of one signer. More than one is for rotation. */
export const MAX_SECRETS = 4;
/** The secret for the HMAC if there are no secrets, so that the answer takes the same time. Its result is ignored. */
const DECOY_SECRET = 'decoy'.repeat(8);
const DIGITS_ONLY = /^\d+$/;
/**
 * Maximum length of a parameter name, and maximum number of names that are not fields. Links with more are refused
 * before an HMAC is computed.
 */
const [MAX_NAME_LENGTH, MAX_UNKNOWN_NAMES] = [64, 8];
const OWN_PARAMETERS = ['expires', 'key', 'signature'];

interface SignedRequest {
  /** First value of each query parameter, decoded. */
  readonly params: ReadonlyMap<string, string>;
  /**
   * Secrets of the signer: the signature must match one of them. An empty list gives the same error as a wrong secret.
   * Undefined: signed links are off, and every signature is wrong, even an expired one.
   */
  readonly secrets: readonly string[] | undefined;
  readonly nowSeconds: number;
  /** Names of the request fields. A value that could hide one of them is refused. */
  readonly knownFields: Iterable<string>;
}

/**
 * Verifies the signature and the expiry of query parameters. Checks in this order: signature missing, link expired,
 * names that no link has, signature wrong. Without `expires` a signature never expires. A signature without any
 * parameter is refused, because its holder could capture anything for ever.
 *
 * Every wrong signature costs the same number of HMACs, with any number of secrets. Otherwise the time would reveal
 * which keys exist, and which of them are in a rotation.
 * @throws ServiceError InvalidSignatureError or SignatureExpiredError; ValidationError if the signature is right but
 * the signed text is ambiguous
 */
export function verifySignature({ params, secrets, nowSeconds, knownFields }: SignedRequest): void {
  const signature = params.get('signature');
  if (signature === undefined || signature === '') {
    throw new ServiceError('InvalidSignatureError', 'Missing signature');
  }
  if (secrets === undefined) throw new ServiceError('InvalidSignatureError');
  refuseExpired(params, nowSeconds);
  refuseNames(params, knownFields);
  // Anyone can compute an HMAC with an empty key, so an empty secret must never reach the comparison.
  const usable = secrets.filter((secret) => secret !== '');
  const text = stringToSign(params);
  const isSignedWith = (secret: string): boolean => equalInConstantTime(signature, signText(text, secret));
  if (!usable.some(isSignedWith)) {
    for (let tried = usable.length; tried < MAX_SECRETS; tried++) isSignedWith(DECOY_SECRET);
    throw new ServiceError('InvalidSignatureError');
  }
  refuseAmbiguity(params, knownFields);
  if ([...params.keys()].every((name) => name === 'signature' || name === 'key')) {
    throw new ServiceError('InvalidSignatureError', 'A signed URL without capture parameters needs expires');
  }
}

/**
 * Checks the expiry: a signature is valid until the end of the second `expires`. Without `expires` it never expires.
 * @throws ServiceError SignatureExpiredError; InvalidSignatureError if it is not a number
 */
export function refuseExpired(params: ReadonlyMap<string, string>, nowSeconds: number): void {
  const expires = params.get('expires');
  if (expires === undefined) return;
  if (!DIGITS_ONLY.test(expires)) throw new ServiceError('InvalidSignatureError');
  if (nowSeconds > Number(expires)) throw new ServiceError('SignatureExpiredError');
}

/**
 * Returns the signature of the parameters: HMAC-SHA256, base64url without padding. Ignores a parameter `signature`.
 * @throws Error if the secret is empty
 */
export function sign(params: ReadonlyMap<string, string>, secret: string): string {
  return signText(stringToSign(params), secret);
}

function signText(text: string, secret: string): string {
  if (secret === '') throw new Error('A signing secret must not be empty');
  return createHmac('sha256', secret).update(text, 'utf8').digest('base64url');
}

/** Returns the percent-encoded query of a signed link, with the parameters in the given order and `signature` last. */
export function signedQuery(params: ReadonlyMap<string, string>, secret: string): string {
  const query = new URLSearchParams([...params]);
  query.delete('signature');
  query.append('signature', sign(params, secret));
  return query.toString();
}

/** Refuses long names and many unknown ones: anyone may send a forged link, and its cost grows with its names. */
function refuseNames(params: ReadonlyMap<string, string>, knownFields: Iterable<string>): void {
  const known = new Set([...knownFields, ...OWN_PARAMETERS]);
  const unknown = [...params.keys()].filter((name) => !known.has(name));
  if (unknown.length <= MAX_UNKNOWN_NAMES && unknown.every(({ length }) => length <= MAX_NAME_LENGTH)) return;
  const [first = ''] = unknown.toSorted((a, b) => b.length - a.length);
  throw new ServiceError('InvalidSignatureError', undefined, {
    details: `${quoted(first, MAX_NAME_LENGTH)}: is not a known field`,
  });
}

/** Refuses names with `&` or `=`: they are as ambiguous as such values. See `findHiddenField`. */
function refuseAmbiguity(params: ReadonlyMap<string, string>, knownFields: Iterable<string>): void {
  if ([...params.keys()].some((name) => /[&=]/.test(name))) {
    throw validationError('A parameter name of a signed URL must not contain "&" or "=".');
  }
  const hidden = findHiddenField(params, knownFields);
  if (hidden !== undefined) throw validationError(describeHiddenField(hidden));
}

/**
 * Compares two texts in a time that reveals neither the first difference nor the length of the secret. Both are hashed
 * first, because timingSafeEqual throws on different lengths.
 */
export function equalInConstantTime(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
