import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors.ts';
import type { FileLinks } from '../../storage/file-link.ts';
import { contextOf } from '../request/request-context.ts';
import { storedPathOf } from '../routes/storing/stored.ts';

interface StoredLinkOptions {
  /** Undefined: there are no links to here. */
  readonly checkStoredLink: FileLinks['check'] | undefined;
  /** The limit that is drawn from for every wrong signature. */
  readonly limitGuesses: RequestHandler;
}

/** Lets in who has a link to the very file. The bearer token is none: it opens what is asked for with it. */
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
