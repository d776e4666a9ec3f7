import ipaddr from 'ipaddr.js';

/** One IPv4 or IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Public by their range, and yet not: a cloud's own services answer there. */
const NOT_PUBLIC = [
  ipaddr.parseCIDR('168.63.129.16/32'), // Azure WireServer, reachable from every machine there
  ipaddr.parseCIDR('192.88.99.0/24'), // 6to4 relays
];
/** The only global unicast space there is; all else in IPv6 is local, special or unassigned. */
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');
/** The well-known NAT64 prefix: on IPv6-only networks every IPv4 site has an address in it. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
const BYTES_OF_V4 = 4;
const NAT64_BITS: ReadonlySet<number> = new Set([32, 40, 48, 56, 64, 96]);
const UNUSED_BYTE = 8; // of addresses under prefixes shorter than 96 bits
/** ipaddr.js 2.5 reads ::8.8.8.8 as ::ffff:8.8.8.8, which is another address. No machine has one: RFC 4291 gave them up. */
const IPV4_COMPATIBLE = /^::\d+\./;

/**
 * An address in one canonical form, whatever its spelling, with an IPv4 address inside IPv6 (mapped, NAT64) unwrapped: what it
 * means is what is judged. Undefined when the text is no address; zone ids are not accepted.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.includes('%') || IPV4_COMPATIBLE.test(text) || !ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isDottedQuad(text) ? address : undefined;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(-BYTES_OF_V4)) : address;
}

/** A network's own NAT64 prefix: 32, 40, 48, 56, 64 or 96 bits. */
export type Nat64Prefix = readonly [base: ipaddr.IPv6, bits: number];

/**
 * Reads a NAT64 prefix, `2001:db8:64::/96`.
 * @throws Error for what is none.
 */
export function parseNat64Prefix(text: string): Nat64Prefix {
  const [base, bits] = ipaddr.parseCIDR(text);
  if (base instanceof ipaddr.IPv6 && NAT64_BITS.has(bits)) return [base, bits];
  throw new Error(`"${text}" is no NAT64 prefix`);
}

/** The IPv4 address that an address under one of the prefixes stands for (RFC 6052 section 2.2); undefined for all others. */
export function embeddedIpv4(address: Address, prefixes: readonly Nat64Prefix[]): Address | undefined {
  if (address instanceof ipaddr.IPv4) return undefined;
  const prefix = prefixes.find(([base, bits]) => address.match(base, bits));
  if (prefix === undefined) return undefined;
  const bytes = address.toByteArray().toSpliced(UNUSED_BYTE, prefix[1] === 96 ? 0 : 1);
  return new ipaddr.IPv4(bytes.slice(prefix[1] / 8).slice(0, BYTES_OF_V4));
}

/** True for an address on the public internet, false for every private, local, special or reserved one. */
export function isPublicAddress(address: Address): boolean {
  if (NOT_PUBLIC.some((range) => matches(address, range))) return false;
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(GLOBAL_UNICAST_V6) && !isIsatap(address);
}

/** True when the address is in the range; families never match each other. */
export function matches(address: Address, [base, bits]: readonly [Address, number]): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

/** 0177.0.0.1, 127.1 and 2130706433 are spellings of 127.0.0.1 that only some parsers know: names to us, and no good ones. */
function isDottedQuad(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** ISATAP: an IPv4 address of a local network in the lower half of an IPv6 one. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [high, low] = [address.parts[4], address.parts[5]];
  return (high === 0 || high === 0x02_00) && low === 0x5e_fe;
}
