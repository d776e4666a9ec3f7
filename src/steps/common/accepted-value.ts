import { ProtocolError } from 'puppeteer';
import { isDocumentLost, isRetryable } from '../../browser/browser-errors.ts';
import { validationError } from '../../errors.ts';

/** True if the browser refused a value of the call; false if the page or the browser was lost meanwhile. */
export function isRefusedValue(error: unknown): boolean {
  return error instanceof ProtocolError && !isRetryable(error) && !isDocumentLost(error);
}

/**
 * Waits for a protocol call that passes on the value of a field.
 * @throws ServiceError ValidationError that names the field if the browser refuses the value.
 */
export async function acceptedValue<T>(field: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    throw validationError(`${field}: must be a value that the browser accepts`, error);
  }
}
