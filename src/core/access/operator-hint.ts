import type { ServiceError } from '../ground/errors.ts';
import { type Key, seesEverything } from './key.ts';

/** Returns the details of an error for a client, with what an operator can do for clients without a key of their own. */
export function detailsFor(
  { details, hint }: Pick<ServiceError, 'details' | 'hint'>,
  key: Pick<Key, 'id'> | undefined,
): string | undefined {
  if (hint === undefined || !seesEverything(key)) return details;
  return details === undefined ? hint : `${details}: ${hint}`;
}
