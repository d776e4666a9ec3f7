const BASIC = /^Basic +([a-z0-9+/]+={0,2})$/i;

/** Returns user and password of an Authorization header (RFC 7617). Undefined for a missing header or another scheme. */
export function readBasic(
  authorizationHeader: string | undefined,
): { readonly user: string; readonly password: string } | undefined {
  const encoded = authorizationHeader?.match(BASIC)?.[1];
  if (encoded === undefined) return undefined;
  const [, user, password] = /^([^:]*):([^]*)$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}
