import type { RequestHandler } from 'express';
import { readBearer } from '../../../core/access/bearer.ts';
import { ServiceError } from '../../../core/ground/errors.ts';
import { seesEverything } from '../../../core/access/key.ts';
import { isOwnerValid, parseNamespacedPath } from '../../../core/access/owners.ts';
import type { FileLinks } from '../folder/file-link.ts';
import type { Core } from '../../../core/http/routes/route.ts';
import { contextOf, setKey } from '../../../core/http/request/request-context.ts';
import { noSuchFile, storedPathOf } from './stored-route.ts';

const KEY_HAS_ENDED = 'The key of this link was removed, is disabled or has expired';

/** What the route of stored files needs besides the core. */
export interface StoredLinkState {
  /** Checks links to files in this service. Undefined: links lead elsewhere, or there are none. */
  readonly checkStoredLink: FileLinks['check'] | undefined;
}

/**
 * Accepts a link to exactly this file, until the key of the file ends. A bearer token does not replace the link. With
 * the token of another key the file does not exist, but `default` may open all links.
 */
export function createStoredLinkCheck({
  checkStoredLink,
  keys,
  limits: { guesses },
}: StoredLinkState & Pick<Core, 'keys' | 'limits'>): RequestHandler {
  return async (request, response, next) => {
    const path = storedPathOf(request);
    await guesses.check(request, response);
    try {
      if (checkStoredLink === undefined) throw new ServiceError('InvalidSignatureError');
      await checkStoredLink(path, contextOf(response).link.query);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.type !== 'InvalidSignatureError') throw error;
      guesses.count(request, response, next, error);
      return;
    }
    const { owner } = parseNamespacedPath(path);
    if (!isOwnerValid(keys, owner)) throw new ServiceError('InvalidSignatureError', KEY_HAS_ENDED);
    const token = readBearer(request.get('Authorization'));
    const caller = token === undefined ? undefined : keys.byToken(token);
    if (token !== undefined && caller === undefined && keys.isRequired) {
      // the link is enough, but the answer reveals whether the token is right
      guesses.count(request, response, next, undefined);
      return;
    }
    if (caller !== undefined) setKey(response, caller);
    if (caller !== undefined && !seesEverything(caller) && caller.id !== owner) throw noSuchFile();
    next();
  };
}
