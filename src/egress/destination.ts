import { networkInterfaces } from 'node:os';
import { embeddedIpv4, isPublicAddress, type Nat64Prefix, parseAddress } from './address.ts';
import { createDeniedNames } from './denied-names.ts';
import type { Resolve } from './resolver.ts';
import { type EgressRule, matchesAddress, matchesName } from './rules.ts';
import { isSpecialName } from './special-names.ts';

/** What a page may do with a host and port: connect to exactly these addresses (none: have a proxy look the name up), or not at all. */
export type Decision =
  | { readonly allowed: true; readonly addresses: readonly string[] }
  | { readonly allowed: false; readonly reason: 'not_allowed' | 'unresolved' };

/** The decisions of one capture. Each name is resolved once, so that what was vetted is what is dialled. */
export interface Destinations {
  /** Host as in a URL or a SOCKS request: a name, or an address in any spelling. Never rejects. */
  readonly decide: (host: string, port: number) => Promise<Decision>;
}

const NOT_ALLOWED: Decision = { allowed: false, reason: 'not_allowed' };

/** For pages that need nothing from anywhere. */
export const NOWHERE: Destinations = { decide: async () => NOT_ALLOWED };

/** Where only a range of EGRESS_ALLOW lets an address through, the names of EGRESS_DENY are looked up. */
type Judgement = 'allowed' | 'allowed by address' | 'refused';

interface PolicyOptions {
  readonly allow: readonly EgressRule[];
  readonly deny: readonly EgressRule[];
  /** Prefixes under which this network has IPv4 addresses, beside the well-known one. */
  readonly nat64?: readonly Nat64Prefix[];
  readonly resolve: Resolve;
  /** Ports on this machine that are ours, whatever is allowed: a page must not talk to the service that shows it. */
  readonly isOwnPort: (port: number) => boolean;
  /** Whether a proxy is asked for names that have no address here; only those that `allow` names. */
  readonly proxyResolves?: (name: string, port: number) => boolean;
}

/** The rules for where pages may connect. Deny comes first, then allow; then only what is public. */
export function createDestinationPolicy(options: PolicyOptions): () => Destinations {
  const { allow, deny, nat64 = [], isOwnPort, proxyResolves = () => false } = options;
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
  /** One address that is refused spoils the name: a rebinding attacker mixes them. */
  const mayDial = async (
    addresses: readonly string[],
    port: number,
    namedByAllow: boolean,
  ): Promise<boolean> => {
    const judgements = addresses.map((address) => judge(address, port, namedByAllow));
    if (judgements.includes('refused')) return false;
    return !judgements.includes('allowed by address') || !(await areDenied(addresses, port));
  };

  return () => {
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
      if (isSpecial && !namedByAllow) return NOT_ALLOWED; // before any query: the name alone may be a secret
      const addresses = isDnsName(host) ? await resolveOnce(host, isSpecial) : [];
      if (addresses.length === 0) {
        const isForProxy = namedByAllow && isDnsName(host) && proxyResolves(host, port);
        return isForProxy ? { allowed: true, addresses } : { allowed: false, reason: 'unresolved' };
      }
      return (await mayDial(addresses, port, namedByAllow)) ? { allowed: true, addresses } : NOT_ALLOWED;
    };
    return { decide };
  };
}

/**
 * The host as every part of us sees it: lower case, no dot at the end, addresses in their usual form. Undefined for what is no host.
 */
export function canonicalHost(given: string): string | undefined {
  if (/[@/\\?#]/.test(given)) return undefined; // to the parser below they would end the host, or begin it
  const bracketed = given.includes(':') && !given.startsWith('[') ? `[${given}]` : given;
  const hostname = URL.parse(`http://${bracketed}/`)?.hostname;
  if (hostname === undefined || hostname === '') return undefined;
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** RFC 1035 section 2.3.4: what is longer, or has an empty part, no server can know. */
function isDnsName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

function isOfThisMachine(address: string): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some((own) => own.address === address));
}
