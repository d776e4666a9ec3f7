import { parseAddress } from './address.ts';
import type { Resolve } from './resolver.ts';
import type { EgressRule } from './rules.ts';

const ANSWER_LASTS_MS = 10_000;

/** Tells whether one of the addresses belongs to a denied name. Never rejects. */
export type AreDenied = (addresses: readonly string[], port: number) => Promise<boolean>;

interface Known {
  readonly until: number;
  readonly addresses: Promise<readonly string[]>;
}

/**
 * Resolves the names in EGRESS_DENY, so that their addresses and aliases are denied as well. `*.suffix` can't be
 * resolved.
 */
export function createDeniedNames(
  deny: readonly EgressRule[],
  resolve: Resolve,
  now = performance.now.bind(performance),
): AreDenied {
  const known = new Map<string, Known>();
  /** Returns the last known addresses if a name can't be resolved. */
  const lookUp = async (name: string): Promise<readonly string[]> => {
    const before = known.get(name)?.addresses;
    const found = await resolve(name, isSpecialName(name));
    return found.length > 0 ? found.map(canonical) : ((await before) ?? []);
  };
  const addressesOf = (name: string): Promise<readonly string[]> => {
    const last = known.get(name);
    if (last !== undefined && now() < last.until) return last.addresses;
    const addresses = lookUp(name);
    known.set(name, { until: now() + ANSWER_LASTS_MS, addresses });
    return addresses;
  };

  return async (given, port) => {
    const names = deny.flatMap((rule) =>
      'name' in rule && (rule.port === undefined || rule.port === port) ? [rule.name] : [],
    );
    const denied = new Set((await Promise.all(names.map(addressesOf))).flat());
    return given.some((address) => denied.has(canonical(address)));
  };
}

function canonical(address: string): string {
  return parseAddress(address)?.toString() ?? address;
}

/**
 * Top-level names for local use, or without meaning: RFC 6761, 6762, 7686, 8375 and 9476, ICANN's `internal`, and names
 * that home routers, company networks and clusters use.
 */
const SPECIAL_SUFFIXES = new Set([
  'alt',
  'corp',
  'home',
  'home.arpa',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'svc',
  'cluster.local',
  'test',
]);

/**
 * True for names that public DNS does not know: a single label, or a name under a special-use suffix. Expects lower
 * case, no trailing dot.
 */
export function isSpecialName(name: string): boolean {
  const labels = name.split('.');
  if (labels.length === 1) return true;
  return SPECIAL_SUFFIXES.has(labels.at(-1) ?? '') || SPECIAL_SUFFIXES.has(labels.slice(-2).join('.'));
}
