import type { Request } from 'express';
import { validationError } from '../../errors.ts';

// A name or an address as a URL has it, with its port. The header is the client's: whatever else it holds has no place in a link.
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Where the service is for whoever has called: scheme, name and port, for links that it is given. Behind a proxy they are the client's
 * own where TRUST_PROXY says so. A client that lies about them gets links to elsewhere, which only it gets to see.
 * @throws ServiceError ValidationError when the Host header is none.
 */
export function ownAddress({ host, protocol }: Pick<Request, 'host' | 'protocol'>): string {
  if (!HOST.test(host)) throw validationError('The Host header is neither a name nor an address');
  return `${protocol}://${host}`;
}
