import type { RequestHandler, Response } from 'express';
import { readBearer } from '../../access/bearer.ts';
import { refuseExpired, verifySignature } from '../../access/signature.ts';
import { FIELD_NAMES } from '../../capture/request/options.ts';
import { ServiceError } from '../../ground/errors.ts';
import { DEFAULT_KEY, type Key } from '../../access/key.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import type { Link } from '../request/link.ts';
import { contextOf, setKey } from '../request/request-context.ts';
import type { GuessLimit } from '../routes/route.ts';

interface AuthenticateOptions {
  readonly keys: KeyRing;
  /** Unix seconds. */
  readonly now: () => number;
  /** Limit for wrong tokens and signatures. */
  readonly guesses: GuessLimit;
}

/**
 * Checks the bearer token, then the signature. No credentials give 401, wrong ones 403. Without AUTH_TOKEN and
 * KEYS_FILE, every request is accepted.
 */
export function createAuthenticate({ keys, now, guesses }: AuthenticateOptions): RequestHandler {
  return async (request, response, next) => {
    const context = contextOf(response);
    const { link } = context;
    const header = request.get('Authorization');
    if (keys.isRequired && (header !== undefined || link.query.has('signature')))
      await guesses.check(request, response);
    if (acceptBearer(keys, header, response)) {
      context.summary.class = 'capture';
      next();
      return;
    }
    try {
      if (!link.query.has('signature')) throw refusal(header, 'a bearer token or a signed URL');
      setKey(response, verifyLink(link, keys, now()));
    } catch (error) {
      if (!isGuess(error)) throw error;
      guesses.count(request, response, next, error);
      return;
    }
    context.credential = 'link';
    context.summary.class = 'signed';
    next();
  };
}

/** Accepts the bearer token only, not a signature: the holder of a link must not create links. */
export function createBearerOnly(keys: KeyRing, guesses: GuessLimit): RequestHandler {
  return async (request, response, next) => {
    const header = request.get('Authorization');
    if (keys.isRequired && header !== undefined) await guesses.check(request, response);
    if (acceptBearer(keys, header, response)) {
      next();
      return;
    }
    const error = refusal(header, 'a bearer token');
    if (!isGuess(error)) throw error;
    guesses.count(request, response, next, error);
  };
}

/**
 * Recognizes the key of a bearer token where none is needed, for the headers of its quota. A wrong token is no error,
 * but it counts as a guess, because the headers reveal whether a token is right.
 */
export function createRecognizeBearer(keys: KeyRing, guesses: GuessLimit): RequestHandler {
  return async (request, response, next) => {
    const header = request.get('Authorization');
    if (header !== undefined) await guesses.check(request, response);
    if (header === undefined || acceptBearer(keys, header, response)) next();
    else guesses.count(request, response, next, undefined);
  };
}

/** True if authentication is off, or the header has the token of a key, which becomes the key of the request. */
function acceptBearer(keys: KeyRing, header: string | undefined, response: Response): boolean {
  if (!keys.isRequired) return true;
  const token = readBearer(header);
  const key = token === undefined ? undefined : keys.byToken(token);
  if (key === undefined) return false;
  setKey(response, key);
  contextOf(response).credential = 'token';
  return true;
}

/**
 * Returns the key that has signed a link: the key of the parameter `key`, otherwise the default key.
 * @throws ServiceError InvalidSignatureError, SignatureExpiredError or ValidationError
 */
function verifyLink(link: Link, keys: KeyRing, nowSeconds: number): Key {
  const { query: params } = link;
  const named = params.get('key');
  const key = named === DEFAULT_KEY ? undefined : keys.byId(named ?? DEFAULT_KEY);
  if (key !== undefined && link.verifiedBy === key) refuseExpired(params, nowSeconds);
  else {
    const secrets = keys.acceptsLinks(named) ? (key?.signingSecrets ?? []) : undefined;
    verifySignature({ params, secrets, nowSeconds, knownFields: FIELD_NAMES });
  }
  if (key === undefined) throw new ServiceError('InvalidSignatureError');
  link.verifiedBy = key;
  return key;
}

/** True for a wrong token or signature. Missing or expired credentials are not guesses. */
function isGuess(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 403) return false;
  return error.type === 'AuthenticationError' || error.type === 'InvalidSignatureError';
}

function refusal(header: string | undefined, accepted: string): ServiceError {
  if (header !== undefined) return new ServiceError('AuthenticationError');
  return new ServiceError('AuthenticationError', `Authentication is required: ${accepted}`, {
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}
