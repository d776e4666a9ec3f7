import { isDocumentLost } from '../../browser/browser-errors.ts';
import { ServiceError } from '../../errors.ts';

/** A failed action, with the reason for the client. The message contains no text of the page and no typed text. */
export class ActionFailure extends Error {
  override readonly name = 'ActionFailure';
}

/** Returns the name of an action in errors. */
export function nameAction({ type }: { readonly type: string }, index: number): string {
  return `actions[${index}] ${type}`;
}

/** Converts an ActionFailure to the client's error, which names the action. Returns other errors unchanged. */
export function explainAction(name: string, error: unknown): unknown {
  if (error instanceof ActionFailure)
    return new ServiceError('ActionFailedError', undefined, {
      details: `${name}: ${error.message}`,
    });
  if (isDocumentLost(error))
    return new ServiceError('ActionFailedError', undefined, {
      details: `${name}: the page navigated meanwhile`,
      cause: error,
    });
  if (!(error instanceof ServiceError)) return error;
  const details = error.details === undefined ? name : `${name}: ${error.details}`;
  return new ServiceError(error.type, error.message, { details, cause: error });
}
