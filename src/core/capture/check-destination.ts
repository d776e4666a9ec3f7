import type { Decision, Destinations } from '../egress/destination.ts';
import { named } from '../ground/named.ts';
import { navigationError, notAllowed } from './navigation-errors.ts';
import { type CaptureOptions, features } from './request/options.ts';

/** Fields of a request that contain addresses. */
export type RequestedAddresses = Partial<CaptureOptions>;

/**
 * Refuses an address before any other work. The gate dials the addresses that are resolved here.
 * @throws ServiceError DestinationNotAllowedError, or NavigationError for a name without an address
 */
async function checkDestination(destinations: Destinations, url: string): Promise<void> {
  const decision = await decide(destinations, url);
  if (decision.allowed) return;
  if (decision.reason === 'not_allowed') throw notAllowed(url);
  throw navigationError('net::ERR_NAME_NOT_RESOLVED');
}

/**
 * Checks all addresses of a request: the page, the base of its markup, and the targets of its actions.
 * @throws ServiceError like `checkDestination`; `details` name the action
 */
export async function checkDestinations(destinations: Destinations, requested: RequestedAddresses): Promise<void> {
  await checkEach(requested, (url) => checkDestination(destinations, url));
  await checkBase(destinations, requested);
}

/**
 * Like `checkDestinations`, for captures that run later: a name without an address may have one by then.
 * @throws ServiceError DestinationNotAllowedError
 */
export async function checkFutureDestinations(
  destinations: Destinations,
  requested: RequestedAddresses,
): Promise<void> {
  await checkEach(requested, (url) => refuseForbidden(destinations, url));
  await checkBase(destinations, requested);
}

/** The address of supplied markup is not requested, so its name needs no address. */
async function checkBase(destinations: Destinations, { base_url: base }: RequestedAddresses): Promise<void> {
  if (base !== undefined) await refuseForbidden(destinations, base);
}

async function refuseForbidden(destinations: Destinations, url: string): Promise<void> {
  const decision = await decide(destinations, url);
  if (!decision.allowed && decision.reason === 'not_allowed') throw notAllowed(url);
}

async function checkEach(requested: RequestedAddresses, check: (url: string) => Promise<void>): Promise<void> {
  if (requested.url !== undefined) await check(requested.url);
  for (const { url, name } of features.flatMap(({ addresses }) => addresses?.(requested) ?? [])) {
    await named(name, () => check(url));
  }
}

function decide(destinations: Destinations, url: string): Promise<Decision> {
  const { hostname, port, protocol } = new URL(url);
  const standardPort = protocol === 'https:' ? 443 : 80;
  return destinations.decide(hostname, port === '' ? standardPort : Number(port));
}
