import { isDocumentLost } from '../../browser/browser-errors.ts';
import { ServiceError } from '../../errors.ts';

/** An action failed: the client is told which, and why. The message has no text of the page, and none of what was typed. */
export class ActionFailure extends Error {
  override readonly name = 'ActionFailure';
}

/** How an action is called in errors. */
export function nameAction({ type }: { readonly type: string }, index: number): string {
  return `actions[${index}] ${type}`;
}

/** The client's error, which names the action; what is no error of the client's stays as it is. */
export function explainAction(name: string, error: unknown): unknown {
  if (error instanceof ActionFailure)
    return new ServiceError('ActionFailedError', undefined, {
      details: `${name}: ${error.message}`,
    });
  if (isDocumentLost(error))
    return new ServiceError('ActionFailedError', undefined, {
      details: `${name}: the page went elsewhere meanwhile`,
      cause: error,
    });
  if (!(error instanceof ServiceError)) return error;
  const details = error.details === undefined ? name : `${name}: ${error.details}`;
  return new ServiceError(error.type, error.message, { details, cause: error });
}
