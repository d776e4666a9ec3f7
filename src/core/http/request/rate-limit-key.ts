import { isIP } from 'node:net';
import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { parseAddress } from '../../egress/address.ts';

// The usual size of a customer's network. With single addresses, each customer would have 2^72 buckets.
const IPV6_PREFIX_BITS = 56;

/**
 * Proxies write ports, brackets and zones into X-Forwarded-For, too: `192.0.2.1:4711`, `[2001:db8::1]:4711`,
 * `fe80::1%eth0`.
 */
const SPELLING =
  /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([0-9a-f:.]+)(?:%[\w.-]+)?\](?::\d{1,5})?|([0-9a-f:.]+)%[\w.-]+)$/i;

/**
 * Position of the IPv4 address inside IPv6 addresses of these ranges. Such a range belongs to the owner of its IPv4
 * address: 6to4 alone would give one client 256 keys. Behind NAT64 all IPv4 clients would share one key. Teredo stays
 * grouped by its server, because its client part can be forged.
 */
const IPV4_AT: Readonly<Record<string, number>> = { '6to4': 2, rfc6145: 12 };

/**
 * Returns the key that identifies a client: the IPv4 address, or the /56 of an IPv6 address. All other texts share one
 * key, because with a trusted proxy they come from a header.
 */
export function rateLimitKey(given: string | undefined): string {
  const text = plainSpelling(given ?? '');
  if (isIP(text) !== 6) return isIP(text) === 0 ? 'no address' : text;
  const address = parseAddress(text);
  const at = address?.kind() === 'ipv6' ? IPV4_AT[address.range()] : 0;
  if (address === undefined || at === undefined) return ipKeyGenerator(text, IPV6_PREFIX_BITS);
  return address
    .toByteArray()
    .slice(at, at + 4)
    .join('.');
}

/** Identifies a client for the fair queue: its credentials, otherwise its address. */
export function clientName(request: Request, response: Response): string {
  const { key, credential } = response.locals.context;
  return credential === 'token' && key !== undefined ? `key ${key.id}` : rateLimitKey(request.ip);
}

function plainSpelling(text: string): string {
  const [, v4, bracketed, zoned] = SPELLING.exec(text) ?? [];
  return v4 ?? bracketed ?? zoned ?? text;
}
