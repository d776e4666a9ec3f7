import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors.ts';
import type { FileLinks } from '../../storage/folder/file-link.ts';
import { contextOf } from '../request/request-context.ts';
import { storedPathOf } from '../routes/storing/stored.ts';

interface StoredLinkOptions {
  /** Undefined: there are no links to this service. */
  readonly checkStoredLink: FileLinks['check'] | undefined;
  /** Rate limit for wrong signatures. */
  readonly limitGuesses: RequestHandler;
}

/** Accepts a link to exactly this file. The bearer token is not accepted. */
export function createStoredLinkCheck({ checkStoredLink, limitGuesses }: StoredLinkOptions): RequestHandler {
  return async (request, response, next) => {
    try {
      if (checkStoredLink === undefined) throw new ServiceError('InvalidSignatureError');
      await checkStoredLink(storedPathOf(request), contextOf(response).link.query);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.type !== 'InvalidSignatureError') throw error;
      limitGuesses(request, response, (limited: unknown) => {
        next(limited ?? error);
      });
      return;
    }
    next();
  };
}
