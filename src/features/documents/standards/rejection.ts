import { ServiceError } from '../../../core/ground/errors.ts';

/** Returns the error for a page that cannot meet `pdf_standard`. */
export function rejection(reason: string): ServiceError {
  return new ServiceError('PageRejectedError', undefined, { details: `pdf_standard: ${reason}` });
}
