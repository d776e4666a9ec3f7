import { isIP } from 'node:net';
import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

// What one household or one customer of a cloud commonly gets; with single addresses each would have 2^72 buckets.
const IPV6_PREFIX_BITS = 56;

/** Some proxies write the port into X-Forwarded-For, too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([0-9a-f:.]+)\]):\d{1,5}$/i;

/**
 * An address as clients are told apart by it: IPv6 by /56. One key for all that are no addresses: with a trusted proxy, they are
 * what a header says.
 */
export function addressKey(given: string | undefined): string {
  const address = withoutPort(given ?? '');
  return isIP(address) === 0 ? 'no address' : ipKeyGenerator(address, IPV6_PREFIX_BITS);
}

/** Whose turn it is, for what clients have a share of: the key that they show, else their address. */
export function clientName(request: Request, response: Response): string {
  return response.locals['hasKey'] === true ? 'key' : addressKey(request.ip);
}

function withoutPort(text: string): string {
  const [, v4, v6] = WITH_PORT.exec(text) ?? [];
  return v4 ?? v6 ?? text;
}
