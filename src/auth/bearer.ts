import { createConstantTimeEqual } from './constant-time.ts';

// RFC 9110 section 11.4: the scheme is case-insensitive and one or more spaces follow it. The token may be any
// run of visible characters: AUTH_TOKEN is the operator's choice.
const BEARER = /^Bearer +(\S+)$/i;

/**
 * Tells whether an Authorization header carries this bearer token. Constant time in the token. A missing
 * header, another scheme, a missing or a second token is false. So is every header when `token` is empty, since an
 * empty one cannot be sent: "no token configured" means "no authentication" only where the caller says so.
 */
export function createBearerCheck(token: string): (authorizationHeader: string | undefined) => boolean {
  const isToken = createConstantTimeEqual(token);
  return (authorizationHeader) => {
    const given = authorizationHeader?.match(BEARER)?.[1];
    return given !== undefined && isToken(given);
  };
}
