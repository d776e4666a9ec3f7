import type { Request } from 'express';
import { validationError } from '../../ground/errors.ts';

/** A host name or IP address, with an optional port. Other texts from a client must not become part of a link. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

type RequestAddress = Pick<Request, 'host' | 'protocol' | 'headers' | 'socket'>;

/**
 * Returns the origin by which the client called the service; links in the answer start with it. Behind a proxy that
 * TRUST_PROXY names, X-Forwarded-Proto and X-Forwarded-Host count if they are valid. Otherwise the connection and the
 * Host header count. A client that sends a false Host gets links to another server; no other client sees them.
 * @throws ServiceError ValidationError when the Host header is not valid either.
 */
export function ownAddress(request: RequestAddress): string {
  const scheme = schemeOf(request);
  const origin = [request.host, request.headers.host].map((host) => originOf(scheme, host));
  const own = origin.find((each) => each !== undefined);
  if (own === undefined) throw validationError('The Host header is not a valid name or address');
  return own;
}

/**
 * Accepts `http` and `https` in any case. Express passes on any text of X-Forwarded-Proto, `javascript` included, and
 * the first item of a list, which may be the client's own.
 */
function schemeOf({ protocol, headers, socket }: RequestAddress): string {
  const isList = String(headers['x-forwarded-proto'] ?? '').includes(',');
  const named = protocol.toLowerCase();
  if (!isList && (named === 'http' || named === 'https')) return named;
  return 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
}

/** Returns undefined where a URL parser refuses the host: port 65536 and `[::1::]` match the pattern. */
function originOf(scheme: string, host: string | undefined): string | undefined {
  if (host === undefined || !HOST.test(host)) return undefined;
  const origin = `${scheme}://${host}`;
  return URL.canParse(origin) ? origin : undefined;
}
