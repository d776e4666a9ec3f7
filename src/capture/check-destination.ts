import type { Decision, Destinations } from '../egress/destination.ts';
import { ServiceError } from '../errors.ts';
import { navigationError } from './navigation-errors.ts';

/**
 * Refuses an address before any work is done for it. What is resolved here is what the gate will dial.
 * @throws ServiceError DestinationNotAllowedError, or NavigationError for a name without an address.
 */
export async function checkDestination(destinations: Destinations, url: string): Promise<void> {
  const decision = await decide(destinations, url);
  if (decision.allowed) return;
  if (decision.reason === 'not_allowed') throw new ServiceError('DestinationNotAllowedError');
  throw navigationError('net::ERR_NAME_NOT_RESOLVED');
}

/**
 * As `checkDestination`, for an address that is only kept for later: a name without an address may have one by then.
 * @throws ServiceError DestinationNotAllowedError.
 */
export async function checkFutureDestination(destinations: Destinations, url: string): Promise<void> {
  const decision = await decide(destinations, url);
  if (!decision.allowed && decision.reason === 'not_allowed')
    throw new ServiceError('DestinationNotAllowedError');
}

function decide(destinations: Destinations, url: string): Promise<Decision> {
  const { hostname, port, protocol } = new URL(url);
  const standardPort = protocol === 'https:' ? 443 : 80;
  return destinations.decide(hostname, port === '' ? standardPort : Number(port));
}
