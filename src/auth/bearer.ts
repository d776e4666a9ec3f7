import { createConstantTimeEqual } from './constant-time.ts';

// RFC 9110 section 11.4: the scheme is case-insensitive, followed by one or more spaces. The token may contain any visible characters,
// because the operator chooses AUTH_TOKEN.
const BEARER = /^Bearer +(\S+)$/i;

/**
 * Returns a function that tells whether an Authorization header carries this bearer token, in constant time. False for a missing header,
 * another scheme, and a missing or second token. Always false if `token` is empty: the caller decides whether "no token" means "no
 * authentication".
 */
export function createBearerCheck(token: string): (authorizationHeader: string | undefined) => boolean {
  const isToken = createConstantTimeEqual(token);
  return (authorizationHeader) => {
    const given = authorizationHeader?.match(BEARER)?.[1];
    return given !== undefined && isToken(given);
  };
}
