import type { RequestHandler } from 'express';
import type { SensitiveField } from '../capture/request/sensitive-fields.ts';
import { ServiceError, validationError } from '../errors.ts';
import { createSignedLink } from './signed-link.ts';

// A name or an address as a URL has it, with its port. The header is the client's: whatever else it holds has no place in a link.
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

interface SignOptions {
  /** Undefined: signed URLs are off. */
  readonly urlSigningSecret: string | undefined;
  /** Unix seconds. */
  readonly now: () => number;
  readonly maxWaitMs: number;
  readonly captureTimeoutMs: number;
  readonly maxPixels: number;
  /** @throws ServiceError DestinationNotAllowedError */
  readonly checkAddress: (url: string) => Promise<void>;
  readonly signedUrlAllow: readonly SensitiveField[];
}

/**
 * Answers `POST /sign` with a link to the service under the name by which it was called: the signature does not cover it, and
 * a client that lies about it is given a link to elsewhere, which only it gets to see. Behind a proxy that name is the
 * client's own where TRUST_PROXY says so.
 */
export function createSignRoute({
  urlSigningSecret,
  now,
  checkAddress,
  ...rules
}: SignOptions): RequestHandler {
  return async (request, response) => {
    if (urlSigningSecret === undefined) {
      throw new ServiceError('InvalidSignatureError', 'Signed links are switched off', {
        details: 'URL_SIGNING_SECRET is not set',
      });
    }
    const { host, protocol } = request;
    if (!HOST.test(host)) throw validationError('The Host header is neither a name nor an address');
    const body: unknown = request.body;
    const link = createSignedLink(body, { secret: urlSigningSecret, nowSeconds: now(), ...rules });
    if (link.url !== undefined) await checkAddress(link.url);
    response.json({
      signed_url: `${protocol}://${host}/capture?${link.query}`,
      expires: link.expires,
    });
  };
}
