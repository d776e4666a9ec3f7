import { networkInterfaces } from 'node:os';
import { embeddedIpv4, isPublicAddress, type Nat64Prefix, parseAddress } from './address.ts';
import { createDeniedNames, isSpecialName } from './denied-names.ts';
import type { Resolve } from './resolver.ts';
import { type EgressRule, hasRanges, matchesAddress, matchesName } from './rules.ts';

/** Decision for a host and port: connect to exactly these addresses (none: the proxy resolves the name), or refuse. */
export type Decision =
  | { readonly allowed: true; readonly addresses: readonly string[] }
  | { readonly allowed: false; readonly reason: 'not_allowed' | 'unresolved' };

/** Decisions for one capture. Each name is resolved once, so that the checked address is the one that is dialled. */
export interface Destinations {
  /** Decides for a host of a URL or SOCKS request: a name, or an address in any spelling. Never rejects. */
  readonly decide: (host: string, port: number) => Promise<Decision>;
}

const NOT_ALLOWED: Decision = { allowed: false, reason: 'not_allowed' };

/** Destinations for pages without network access: refuses everything. */
export const NOWHERE: Destinations = { decide: async () => NOT_ALLOWED };

/**
 * Tells whether the proxy resolves a name that has no address here. Asked only for names that EGRESS_ALLOW contains.
 */
export type ProxyResolves = (name: string, port: number) => boolean;

/**
 * `allowed by address`: a range of EGRESS_ALLOW allows it, so the names of EGRESS_DENY must be resolved and checked.
 */
type Judgement = 'allowed' | 'allowed by address' | 'refused';

interface PolicyOptions {
  readonly allow: readonly EgressRule[];
  readonly deny: readonly EgressRule[];
  /** EGRESS_ONLY: narrows the destinations of all captures and webhooks. */
  readonly only?: readonly EgressRule[] | undefined;
  /** Prefixes for IPv4 addresses in this network, in addition to the well-known one. */
  readonly nat64?: readonly Nat64Prefix[];
  readonly resolve: Resolve;
  /** Ports of this service, always refused: a page must not connect to the service that captures it. */
  readonly isOwnPort: (port: number) => boolean;
}

/**
 * Creates the rules for where pages may connect. EGRESS_DENY comes first, then EGRESS_ALLOW, then only public addresses
 * pass. EGRESS_ONLY narrows them for all, and the rules `within` for one capture: they never allow what is refused
 * otherwise.
 */
export function createDestinationPolicy(
  options: PolicyOptions,
): (within?: readonly EgressRule[], proxyResolves?: ProxyResolves) => Destinations {
  const { allow, deny, only, nat64 = [], isOwnPort } = options;
  const areDenied = createDeniedNames(deny, options.resolve);

  const judge = (text: string, port: number, namedByAllow: boolean): Judgement => {
    const dialled = parseAddress(text);
    if (dialled === undefined || matchesAddress(deny, dialled, port)) return 'refused';
    const address = embeddedIpv4(dialled, nat64) ?? dialled;
    if (matchesAddress(deny, address, port)) return 'refused';
    const isLocal =
      address.range() === 'loopback' ||
      address.range() === 'unspecified' ||
      [address, dialled].some((each) => isOfThisMachine(each.toString()));
    if (isLocal && isOwnPort(port)) return 'refused';
    if (namedByAllow || (isPublicAddress(address) && !isLocal)) return 'allowed';
    return matchesAddress(allow, address, port) ? 'allowed by address' : 'refused';
  };
  /** A single refused address refuses the name: DNS rebinding mixes public and private addresses. */
  const mayDial = async (addresses: readonly string[], port: number, namedByAllow: boolean): Promise<boolean> => {
    const judgements = addresses.map((address) => judge(address, port, namedByAllow));
    if (judgements.includes('refused')) return false;
    return !judgements.includes('allowed by address') || !(await areDenied(addresses, port));
  };

  return (within, proxyResolves = () => false) => {
    const resolved = new Map<string, Promise<readonly string[]>>();
    const resolveOnce = (name: string, asSystem: boolean): Promise<readonly string[]> => {
      const known = resolved.get(name);
      if (known !== undefined) return known;
      const answer = options.resolve(name, asSystem);
      resolved.set(name, answer);
      return answer;
    };

    const decide = async (given: string, port: number): Promise<Decision> => {
      const host = canonicalHost(given);
      if (host === undefined) return NOT_ALLOWED;
      if (parseAddress(host) !== undefined)
        return (await mayDial([host], port, false)) ? { allowed: true, addresses: [host] } : NOT_ALLOWED;
      if (matchesName(deny, host, port)) return NOT_ALLOWED;
      const namedByAllow = matchesName(allow, host, port);
      const isSpecial = isSpecialName(host);
      // runs before any DNS query, because the name alone may be a secret
      if (isSpecial && !namedByAllow) return NOT_ALLOWED;
      const addresses = isDnsName(host) ? await resolveOnce(host, isSpecial) : [];
      if (addresses.length === 0) {
        const isForProxy = namedByAllow && isDnsName(host) && proxyResolves(host, port);
        return isForProxy ? { allowed: true, addresses } : { allowed: false, reason: 'unresolved' };
      }
      return (await mayDial(addresses, port, namedByAllow)) ? { allowed: true, addresses } : NOT_ALLOWED;
    };
    return [only, within].reduce<Destinations>(narrowed, { decide });
  };
}

/** Allows only what the rules name as well. */
function narrowed(destinations: Destinations, rules: readonly EgressRule[] | undefined): Destinations {
  if (rules === undefined) return destinations;
  return {
    decide: async (host, port) => {
      const isNamed = matchesName(rules, canonicalHost(host) ?? '', port);
      // With names alone, the addresses are never needed, so no DNS server learns the name.
      if (!isNamed && !hasRanges(rules, port)) return NOT_ALLOWED;
      const decision = await destinations.decide(host, port);
      return isNamed ? decision : narrow(decision, port, rules);
    },
  };
}

/** Refuses a decision whose addresses the rules do not contain. */
function narrow(decision: Decision, port: number, within: readonly EgressRule[]): Decision {
  if (!decision.allowed) return decision;
  const addresses = decision.addresses.map(parseAddress);
  const areAll = addresses.every((address) => address !== undefined && matchesAddress(within, address, port));
  return addresses.length > 0 && areAll ? decision : NOT_ALLOWED;
}

/**
 * Returns the canonical form of a host: lower case, no trailing dot, addresses in their usual form. Undefined for
 * invalid hosts.
 */
export function canonicalHost(given: string): string | undefined {
  if (/[@/\\?#]/.test(given)) return undefined; // these characters would end the host for the URL parser
  const bracketed = given.includes(':') && !given.startsWith('[') ? `[${given}]` : given;
  const hostname = URL.parse(`http://${bracketed}/`)?.hostname;
  if (hostname === undefined || hostname === '') return undefined;
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** RFC 1035 section 2.3.4: no DNS server knows longer names or empty labels. */
function isDnsName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

function isOfThisMachine(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}
