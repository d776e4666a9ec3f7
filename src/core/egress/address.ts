import ipaddr from 'ipaddr.js';

/** An IPv4 or IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses in public ranges that are not public: services of a cloud provider answer there. */
const NOT_PUBLIC = [
  ipaddr.parseCIDR('168.63.129.16/32'), // Azure WireServer, reachable from every machine on Azure
  ipaddr.parseCIDR('192.88.99.0/24'), // 6to4 relays
];
/** The only global unicast range. Everything else in IPv6 is local, special or unassigned. */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');
/** The well-known NAT64 prefix. On IPv6-only networks every IPv4 site has an address in it. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
const BYTES_OF_V4 = 4;
const NAT64_BITS: ReadonlySet<number> = new Set([32, 40, 48, 56, 64, 96]);
const UNUSED_BYTE = 8; // this byte is unused in addresses under prefixes shorter than 96 bits
/**
 * ipaddr.js 2.5 reads ::8.8.8.8 as ::ffff:8.8.8.8, a different address. No machine uses this form: RFC 4291 deprecated
 * it.
 */
const IPV4_COMPATIBLE = /^::\d+\./;

/**
 * Parses an address in any spelling. An IPv4 address inside IPv6 (mapped, NAT64) is unwrapped, so that the effective
 * address is judged. Undefined if the text is no address. Zone ids are not accepted.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.includes('%') || IPV4_COMPATIBLE.test(text) || !ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isDottedQuad(text) ? address : undefined;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(-BYTES_OF_V4)) : address;
}

/** A NAT64 prefix of the local network: 32, 40, 48, 56, 64 or 96 bits. */
export type Nat64Prefix = readonly [base: ipaddr.IPv6, bits: number];

/**
 * Parses a NAT64 prefix such as `2001:db8:64::/96`.
 * @throws Error if it is none
 */
export function parseNat64Prefix(text: string): Nat64Prefix {
  const [base, bits] = ipaddr.parseCIDR(text);
  if (base instanceof ipaddr.IPv6 && NAT64_BITS.has(bits)) return [base, bits];
  throw new Error(`"${text}" is not a NAT64 prefix`);
}

/**
 * Returns the IPv4 address that is embedded under one of the prefixes (RFC 6052 section 2.2). Undefined for all other
 * addresses.
 */
export function embeddedIpv4(address: Address, prefixes: readonly Nat64Prefix[]): Address | undefined {
  if (address instanceof ipaddr.IPv4) return undefined;
  const prefix = prefixes.find(([base, bits]) => address.match(base, bits));
  if (prefix === undefined) return undefined;
  const bytes = address.toByteArray().toSpliced(UNUSED_BYTE, prefix[1] === 96 ? 0 : 1);
  return new ipaddr.IPv4(bytes.slice(prefix[1] / 8).slice(0, BYTES_OF_V4));
}

/** True for a public internet address; false for private, local, special and reserved ones. */
export function isPublicAddress(address: Address): boolean {
  if (NOT_PUBLIC.some((range) => matches(address, range))) return false;
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(GLOBAL_UNICAST_V6) && !isIsatap(address);
}

/** True if the address is in the range. Addresses of different families never match. */
export function matches(address: Address, [base, bits]: readonly [Address, number]): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

/**
 * True for four decimal numbers. 0177.0.0.1, 127.1 and 2130706433 are spellings of 127.0.0.1 that only some parsers
 * know; they are treated as names.
 */
function isDottedQuad(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** ISATAP: a local IPv4 address in the lower half of an IPv6 address. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [high, low] = [address.parts[4], address.parts[5]];
  return (high === 0 || high === 0x02_00) && low === 0x5e_fe;
}
