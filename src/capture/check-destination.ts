import type { Decision, Destinations } from '../egress/destination.ts';
import { ServiceError } from '../errors.ts';
import { explainAction, nameAction } from './actions/action-failure.ts';
import { navigationError } from './navigation-errors.ts';
import type { CaptureOptions } from './request/options.ts';

/**
 * Refuses an address before any work is done for it. What is resolved here is what the gate will dial.
 * @throws ServiceError DestinationNotAllowedError, or NavigationError for a name without an address.
 */
async function checkDestination(destinations: Destinations, url: string): Promise<void> {
  const decision = await decide(destinations, url);
  if (decision.allowed) return;
  if (decision.reason === 'not_allowed') throw new ServiceError('DestinationNotAllowedError');
  throw navigationError('net::ERR_NAME_NOT_RESOLVED');
}

/**
 * As `checkDestination`, for each address that a request names: its page, and those that its actions go to.
 * @throws ServiceError as `checkDestination`; `details` name the action.
 */
export async function checkDestinations(
  destinations: Destinations,
  { url, actions = [] }: Pick<CaptureOptions, 'url' | 'actions'>,
): Promise<void> {
  if (url !== undefined) await checkDestination(destinations, url);
  for (const [index, action] of actions.entries()) {
    if (action.type !== 'goto') continue;
    await checkDestination(destinations, action.url).catch((error: unknown) => {
      throw explainAction(nameAction(action, index), error);
    });
  }
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
