import { parseAddress } from './address.ts';
import type { Resolve } from './resolver.ts';
import type { EgressRule } from './rules.ts';
import { isSpecialName } from './special-names.ts';

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
