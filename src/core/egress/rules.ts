import ipaddr from 'ipaddr.js';
import { type Address, matches, parseAddress } from './address.ts';

/** One entry of EGRESS_ALLOW or EGRESS_DENY. Without a port, it covers all ports. */
export type EgressRule = { readonly port: number | undefined } & (
  | { readonly name: string }
  /** Suffix with its leading dot. */
  | { readonly suffix: string }
  | { readonly range: readonly [base: Address, bits: number] }
);

/** Bits in front of an IPv4 address inside IPv6. */
const WRAPPED_BITS = 96;

export const RULE_FORM =
  'a comma-separated list of host names, *.suffix, IP addresses and CIDR ranges, each with an optional :port ([...]:port for IPv6)';

/**
 * Parses a list of rules.
 * @throws Error that names the invalid entry
 */
export function parseEgressRules(text: string): EgressRule[] {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.filter((entry) => entry !== '').map(parseRule);
}

/** True if a rule names this host (lower case, no trailing dot) and port. */
export function matchesName(rules: readonly EgressRule[], name: string, port: number): boolean {
  return forPort(rules, port).some((rule) => {
    if ('name' in rule) return rule.name === name;
    return 'suffix' in rule && name.endsWith(rule.suffix);
  });
}

/** True if a rule covers this address and port. */
export function matchesAddress(rules: readonly EgressRule[], address: Address, port: number): boolean {
  return forPort(rules, port).some((rule) => 'range' in rule && matches(address, rule.range));
}

/** True if a rule for this port covers addresses. */
export function hasRanges(rules: readonly EgressRule[], port: number): boolean {
  return forPort(rules, port).some((rule) => 'range' in rule);
}

function forPort(rules: readonly EgressRule[], port: number): EgressRule[] {
  return rules.filter((rule) => rule.port === undefined || rule.port === port);
}

function parseRule(entry: string): EgressRule {
  const { host, port } = splitPort(entry);
  const address = parseAddress(host);
  if (address !== undefined) return { port, range: [address, address.kind() === 'ipv4' ? 32 : 128] };
  if (host.includes('/') && ipaddr.isValidCIDR(host)) return { port, range: parseRange(host) };
  if (/^\*\.[\w-]+(\.[\w-]+)*$/.test(host)) return { port, suffix: host.slice(1) };
  if (/^[\w-]+(\.[\w-]+)*$/.test(host)) return { port, name: host };
  throw new Error(`"${entry}" does not have one of these forms`);
}

/**
 * Unwraps a range of IPv4 addresses inside IPv6, because addresses are unwrapped before the comparison, so it would
 * match none.
 */
function parseRange(text: string): readonly [Address, number] {
  const [base, bits] = ipaddr.parseCIDR(text);
  const inner = bits >= WRAPPED_BITS ? parseAddress(base.toString()) : undefined;
  return inner?.kind() === 'ipv4' && base.kind() === 'ipv6' ? [inner, bits - WRAPPED_BITS] : [base, bits];
}

/**
 * Splits `host:port`, `[v6]:port`, `v6` and `v6/bits`. A colon separates a port only if it can't be part of an address.
 */
function splitPort(entry: string): { host: string; port: number | undefined } {
  const [, bracketed, bracketPort] = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return { host: bracketed, port: toPort(bracketPort, entry) };
  const [, plain, plainPort] = /^([^:]+):(\d+)$/.exec(entry) ?? [];
  if (plain !== undefined) return { host: plain, port: toPort(plainPort, entry) };
  return { host: entry, port: undefined };
}

function toPort(text: string | undefined, entry: string): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (port < 1 || port > 65_535) throw new Error(`"${entry}" has a port that is not one of 1 to 65535`);
  return port;
}
