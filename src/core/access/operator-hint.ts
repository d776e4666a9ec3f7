import type { ServiceError } from '../ground/errors.ts';
import { type Key, seesEverything } from './key.ts';

/**
 * Returns the details of an error for a client. Clients without a key of their own are the operator, who also gets what
 * to do about it.
 */
export function detailsFor(
  { details, hint }: Pick<ServiceError, 'details' | 'hint'>,
  key: Pick<Key, 'id'> | undefined,
): string | undefined {
  if (hint === undefined || !seesEverything(key)) return details;
  return details === undefined ? hint : `${details}: ${hint}`;
}
