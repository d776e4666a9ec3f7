import { equalInConstantTime } from './constant-time.ts';

// RFC 9110 section 11.4: the scheme is case-insensitive and one or more spaces follow it. The token may be any
// run of visible characters: AUTH_TOKEN is the operator's choice.
const BEARER = /^Bearer +(?<token>\S+)$/i;

/**
 * Whether the Authorization header carries this bearer token (spec 5.1). Constant time in the token. A missing
 * header, another scheme, a missing or a second token is false. So is every header when `token` is empty, since an
 * empty one cannot be sent: "no token configured" means "no authentication" only where the caller says so.
 */
export function isValidBearer(authorizationHeader: string | undefined, token: string): boolean {
  const given = authorizationHeader?.match(BEARER)?.groups?.['token'];
  return given !== undefined && equalInConstantTime(given, token);
}
