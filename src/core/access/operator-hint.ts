import type { ErrorType } from '../ground/errors.ts';
import { type Key, seesEverything } from './key.ts';

/** What an operator can do about an error. Other clients must not learn how the service is set up. */
const HINTS: { readonly [Type in ErrorType]?: string } = {
  DestinationNotAllowedError:
    'the setting EGRESS_ALLOW names what pages may open besides public addresses; EGRESS_ONLY, if set, names all',
};

/** Returns what the operator can do about an error. Undefined for clients with a key of their own. */
export function operatorHint(type: ErrorType, key: Pick<Key, 'id'> | undefined): string | undefined {
  return seesEverything(key) ? HINTS[type] : undefined;
}
