import { lookup, Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { createHostsFile, type HostsFile } from './hosts-file.ts';

const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;
const MAX_ANSWERS = 16; // more are of no use, and a name may have thousands

/**
 * Gives every address of a name; an empty list when it has none. Bounded in time, never rejects. `asSystem`: as any program
 * on this machine would resolve it, search list included.
 */
export type Resolve = (name: string, asSystem: boolean) => Promise<readonly string[]>;

interface ResolverOptions {
  /** `address:port` of DNS servers; the system's when undefined. */
  readonly servers?: readonly string[] | undefined;
  readonly hostsFile?: HostsFile | undefined;
}

/**
 * Resolves names over sockets of its own. The system's `getaddrinfo` would run in the few threads that all file work shares: one
 * page with slow names would hold up everyone's captures. The hosts file counts, the search list does not.
 */
export function createResolver({ servers, hostsFile = createHostsFile() }: ResolverOptions = {}): Resolve {
  return async (name, asSystem) => {
    const fixed = hostsFile(name);
    if (fixed.length > 0) return fixed;
    if (asSystem) return await lookUp(name);
    // One channel each: c-ares answers a channel's queries one server at a time, and a slow one would hold up the others.
    const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const queries = [resolver.resolve4(name), ...(hasIpv6() ? [resolver.resolve6(name)] : [])];
    const answers = await Promise.allSettled(queries);
    return answers
      .flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      .slice(0, MAX_ANSWERS);
  };
}

/** For names that the operator has allowed and public DNS does not know: `redis`, `api.default.svc`. Few, and trusted. */
async function lookUp(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return []; // it has no address: that is the answer
  }
}

/** Without an IPv6 address of its own the machine can't use what a second query would tell. */
function hasIpv6(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.some(
    ({ family, internal, address }) => family === 'IPv6' && !internal && !address.startsWith('fe80'),
  );
}
