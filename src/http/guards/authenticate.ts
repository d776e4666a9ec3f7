import type { RequestHandler } from 'express';
import { createBearerCheck } from '../../auth/bearer.ts';
import { refuseExpired, verifySignature } from '../../auth/signature.ts';
import { FIELD_NAMES } from '../../capture/request/options.ts';
import type { Config } from '../../config/settings.ts';
import { ServiceError } from '../../errors.ts';
import type { Link } from '../request/link.ts';
import { contextOf } from '../request/request-context.ts';

/** How a request was authenticated. Also its class for the rate limit. */
type RouteClass = 'capture' | 'signed';

interface AuthenticateOptions extends Pick<Config, 'authToken' | 'urlSigningSecret'> {
  /** Unix seconds. */
  readonly now: () => number;
  /** Rate limit for wrong tokens and signatures. A wrong guess costs as many rate-limit tokens as a capture. */
  readonly limitGuesses: RequestHandler;
}

/** Checks the bearer token, then the signature. No credentials give 401, wrong ones 403. Without AUTH_TOKEN every request is accepted. */
export function createAuthenticate({
  authToken,
  urlSigningSecret,
  now,
  limitGuesses,
}: AuthenticateOptions): RequestHandler {
  const hasKeys = authToken !== undefined;
  const isBearer = hasKeys ? createBearerCheck(authToken) : () => true;
  const verify = (link: Link): void => {
    const { query: params, isVerified } = link;
    if (isVerified) refuseExpired(params, now());
    else verifySignature({ params, secret: urlSigningSecret, nowSeconds: now(), knownFields: FIELD_NAMES });
    link.isVerified = true;
  };

  return (request, response, next) => {
    const { link, summary } = contextOf(response);
    const header = request.get('Authorization');
    const letIn = (routeClass: RouteClass): void => {
      response.locals['routeClass'] = routeClass;
      summary.class = routeClass;
      next();
    };

    if (isBearer(header)) {
      response.locals['hasKey'] = hasKeys;
      letIn('capture');
      return;
    }
    try {
      if (!link.query.has('signature')) throw refusal(header, 'a bearer token or a signed URL');
      verify(link);
    } catch (error) {
      if (!isGuess(error)) throw error;
      limitGuesses(request, response, (limited: unknown) => {
        next(limited ?? error);
      });
      return;
    }
    letIn('signed');
  };
}

/** Accepts the bearer token only, not a signature: the holder of a link must not create links. */
export function createBearerOnly(
  authToken: string | undefined,
  limitGuesses: RequestHandler,
): RequestHandler {
  const isBearer = authToken === undefined ? () => true : createBearerCheck(authToken);
  return (request, response, next) => {
    const header = request.get('Authorization');
    if (isBearer(header)) {
      response.locals['hasKey'] = authToken !== undefined;
      next();
      return;
    }
    const error = refusal(header, 'a bearer token');
    if (!isGuess(error)) throw error;
    limitGuesses(request, response, (limited: unknown) => {
      next(limited ?? error);
    });
  };
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
