import type { Request, RequestHandler } from 'express';
import { readBearer } from '../../core/access/bearer.ts';
import { type ErrorType, ServiceError } from '../../core/ground/errors.ts';
import type { Key } from '../../core/access/key.ts';
import { refuseForeign } from '../../core/http/guards/cross-site.ts';
import { contextOf, setKey } from '../../core/http/request/request-context.ts';
import type { Core } from '../../core/http/routes/route.ts';

const BASIC = /^Basic +([a-z0-9+/]+={0,2})$/i;

/** A credential that a request carries in the form of another service. */
export interface Credential {
  readonly kind: 'token' | 'link';
  /** Returns its key. Undefined if it is wrong. Called after the limit of guesses was checked. */
  readonly verify: () => Key | undefined;
  /** Returns the error for a wrong credential. */
  readonly error: ErrorType;
}

/**
 * Creates the check of credentials that another service reads in its own way, or of our bearer token. The same limit
 * of guesses applies as to our own routes.
 * @param find returns the credential of a request; undefined if it has none
 */
export function createCredentialCheck(
  { keys, limits: { guesses } }: Pick<Core, 'keys' | 'limits'>,
  find: (request: Request) => Credential | undefined,
): RequestHandler {
  return async (request, response, next) => {
    const context = contextOf(response);
    context.summary.class = 'capture';
    if (!keys.isRequired) {
      next();
      return;
    }
    const credential = bearerOf(request, keys) ?? find(request);
    if (credential === undefined) {
      throw new ServiceError('AuthenticationError', 'Authentication is required', { status: 401 });
    }
    await guesses.check(request, response);
    const key = credential.verify();
    if (key === undefined) {
      guesses.count(request, response, next, new ServiceError(credential.error));
      return;
    }
    setKey(response, key);
    context.credential = credential.kind;
    if (credential.kind === 'link') context.summary.class = 'signed';
    next();
  };
}

function bearerOf(request: Request, keys: Core['keys']): Credential | undefined {
  const token = readBearer(request.get('Authorization'));
  if (token === undefined) return undefined;
  return { kind: 'token', verify: () => keys.byToken(token), error: 'AuthenticationError' };
}

/**
 * HTTP Basic with the id of a key and its token.
 * @throws ServiceError CrossSiteRequestError for a page of another origin: browsers send Basic by themselves
 */
export function basicOf(request: Request, { keys, config }: Pick<Core, 'keys' | 'config'>): Credential | undefined {
  const basic = readBasic(request.get('Authorization'));
  if (basic === undefined) return undefined;
  refuseForeign(request, config.corsOrigins);
  const verify: Credential['verify'] = () => {
    const key = keys.byToken(basic.password);
    return key?.id === basic.user ? key : undefined;
  };
  return { kind: 'token', verify, error: 'AuthenticationError' };
}

/**
 * Returns user and password of an Authorization header (RFC 7617). Undefined for a missing header or another scheme.
 */
function readBasic(
  authorizationHeader: string | undefined,
): { readonly user: string; readonly password: string } | undefined {
  const encoded = authorizationHeader?.match(BASIC)?.[1];
  if (encoded === undefined) return undefined;
  const [, user, password] = /^([^:]*):([^]*)$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}
