import { navigationError } from '../browser/browser-errors.ts';
import type { NavigationFailure } from '../browser/page/main-frame.ts';
import type { Decision, Destinations } from '../egress/destination.ts';
import type { GateSession, GateRefusal } from '../egress/gate/gate.ts';
import { ServiceError } from '../errors.ts';

/** Not the page's fault, and nothing that Chrome would know of. */
const PROXY_SENTENCES = {
  proxy_refused: 'the outgoing proxy of the service refuses the connection',
  proxy_away: 'the outgoing proxy of the service can not be reached',
} as const;

/** What Chrome would have said had it dialled itself: to it, every refusal of the gate is the same. */
const CHROME_ERRORS = {
  unresolved: 'net::ERR_NAME_NOT_RESOLVED',
  refused: 'net::ERR_CONNECTION_REFUSED',
  timed_out: 'net::ERR_CONNECTION_TIMED_OUT',
  unreachable: 'net::ERR_ADDRESS_UNREACHABLE',
  over_budget: 'net::ERR_INSUFFICIENT_RESOURCES',
} as const satisfies Record<Exclude<GateRefusal, 'not_allowed' | keyof typeof PROXY_SENTENCES>, string>;

/** The client's error for a page that did not come, by what the gate knows of its address. */
export function explainFailure(
  gateSession: GateSession,
  { errorText, url }: NavigationFailure,
): ServiceError {
  const refusal = gateSession.refusalOf(url);
  if (refusal === undefined) return navigationError(errorText);
  if (refusal === 'not_allowed') return new ServiceError('DestinationNotAllowedError');
  if (refusal === 'proxy_refused' || refusal === 'proxy_away') {
    const sentence = PROXY_SENTENCES[refusal];
    return new ServiceError('NavigationError', `The page could not be loaded: ${sentence}`);
  }
  return navigationError(CHROME_ERRORS[refusal]);
}

/**
 * Refuses an address before any work is done for it. What is resolved here is what the gate will dial.
 * @throws ServiceError DestinationNotAllowedError, or NavigationError for a name without an address.
 */
export async function checkDestination(destinations: Destinations, url: string): Promise<void> {
  const decision = await decide(destinations, url);
  if (decision.allowed) return;
  if (decision.reason === 'not_allowed') throw new ServiceError('DestinationNotAllowedError');
  throw navigationError(CHROME_ERRORS.unresolved);
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
