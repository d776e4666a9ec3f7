import { lookup, Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { readFileSync, statSync } from 'node:fs';

const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;
const MAX_ANSWERS = 16; // maximum number of addresses per name, because a name may have thousands

/**
 * Returns all addresses of a name; an empty list if there are none. Bounded in time, never rejects. `asSystem`:
 * resolves like other programs on this machine, with the search list.
 */
export type Resolve = (name: string, asSystem: boolean) => Promise<readonly string[]>;

interface ResolverOptions {
  /** DNS servers as `address:port`. Default: those of the system. */
  readonly servers?: readonly string[] | undefined;
  readonly hostsFile?: HostsFile | undefined;
}

/**
 * Resolves names with its own sockets. `getaddrinfo` would use the few threads that all file operations share, so one
 * page with slow names would delay all captures. Uses the hosts file, not the search list.
 */
export function createResolver({ servers, hostsFile = createHostsFile() }: ResolverOptions = {}): Resolve {
  return async (name, asSystem) => {
    const fixed = hostsFile(name);
    if (fixed.length > 0) return fixed;
    if (asSystem) return await lookUp(name);
    // Uses one channel per query type: c-ares answers the queries of a channel one server at a time, and a slow server
    // would delay the others.
    const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const queries = [resolver.resolve4(name), ...(hasIpv6() ? [resolver.resolve6(name)] : [])];
    const answers = await Promise.allSettled(queries);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])).slice(0, MAX_ANSWERS);
  };
}

/**
 * Used for names that the operator has allowed and public DNS does not know: `redis`, `api.default.svc`. They are few
 * and trusted.
 */
async function lookUp(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return []; // the name has no address
  }
}

/** Without an IPv6 address, the machine can't use IPv6 answers. */
function hasIpv6(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.some(
    ({ family, internal, address }) => family === 'IPv6' && !internal && !address.startsWith('fe80'),
  );
}

/** Returns the addresses of a name in the hosts file. Empty if there are none. */
type HostsFile = (name: string) => readonly string[];

/** Reads the system's hosts file again when it has changed. An unreadable file counts as empty. */
export function createHostsFile(path = '/etc/hosts'): HostsFile {
  let readAt = -1;
  let entries = new Map<string, string[]>();
  return (name) => {
    try {
      const changedAt = statSync(path).mtimeMs;
      if (changedAt !== readAt) {
        entries = parseHosts(readFileSync(path, 'utf8'));
        readAt = changedAt;
      }
    } catch {
      return []; // also for passing reasons, such as too many open files: the next call reads again
    }
    return entries.get(name) ?? [];
  };
}

function parseHosts(text: string): Map<string, string[]> {
  const entries = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (address === undefined || address === '') continue;
    for (const name of names) {
      const key = name.toLowerCase();
      entries.set(key, [...(entries.get(key) ?? []), address]);
    }
  }
  return entries;
}
