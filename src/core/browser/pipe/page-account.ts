import { ServiceError } from '../../ground/errors.ts';
import { MAX_PAGE_BYTES } from './received-events.ts';

/** Counts the bytes that a page makes the browser send, over all of its sessions. */
export interface PageAccount {
  readonly count: (message: { readonly length: number; readonly isTooLarge: boolean }) => void;
  /** Reports that a message of the page could not be handled. */
  readonly lose: (error: unknown) => void;
}

/** @param end called once, with the reason, if the page exceeds a limit or a message can't be handled */
export function createPageAccount(end: (error: ServiceError) => void): PageAccount {
  let bytes = 0;
  const endFor = (details: string, cause?: unknown): void => {
    end(
      new ServiceError('PageCrashedError', 'The page sends more protocol data than allowed', {
        details,
        cause,
      }),
    );
  };
  return {
    count: ({ length, isTooLarge }) => {
      bytes += length;
      if (isTooLarge) {
        endFor('one address, name, header, frame or message of the page is too large, or has too many parts');
      } else if (bytes > MAX_PAGE_BYTES) {
        endFor(`all addresses, names, headers, frames and messages of the page exceed ${MAX_PAGE_BYTES} bytes`);
      }
    },
    lose: (error) => endFor("the browser sent a message about the page that can't be parsed", error),
  };
}
