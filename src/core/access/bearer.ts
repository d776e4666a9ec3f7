// RFC 9110 section 11.4: the scheme is case-insensitive, followed by one or more spaces. The token may contain any
// visible characters, because the operator chooses AUTH_TOKEN.
const BEARER = /^Bearer +(\S+)$/i;

/**
 * Returns the bearer token of an Authorization header. Undefined for a missing header, another scheme, and a missing or
 * second token.
 */
export function readBearer(authorizationHeader: string | undefined): string | undefined {
  return authorizationHeader?.match(BEARER)?.[1];
}
