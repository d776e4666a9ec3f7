import { isIP } from 'node:net';
import { ALSO, type HostKind, NOT_ONLY } from './host-amendments.ts';

/** Data about a host. */
export interface KnownHost {
  readonly kind: HostKind;
  /** Owner of the host. Hosts of one owner depend on each other. */
  readonly owner: string;
}

export interface HostTable {
  /** Returns the data of a host or of a parent domain. Undefined for unknown hosts and for IP addresses. */
  readonly find: (host: string) => KnownHost | undefined;
  readonly size: number;
}

/** Categories of the data that are blocked. Hosts of all other categories serve parts of pages. */
const KINDS: Readonly<Record<string, HostKind>> = {
  ad: 'ads',
  analytics: 'trackers',
  'tag-manager': 'trackers',
  'customer-success': 'chats',
  social: 'socials',
};

let loading: Promise<HostTable> | undefined; // cached like a module, because the data never changes

/** Loads the table that ships with the service on first use: 20 ms and about 2 MB. */
export function loadHostTable(): Promise<HostTable> {
  return (loading ??= readHostTable());
}

async function readHostTable(): Promise<HostTable> {
  const [
    {
      default: { entities },
    },
    { getPublicSuffix },
  ] = await Promise.all([import('third-party-web/nostats-subset.js'), import('tldts')]);
  // its subdomains have different owners
  const isSuffix = (name: string): boolean => getPublicSuffix(name, { allowPrivateDomains: true }) === name;

  const table = new Map<string, KnownHost>();
  for (const { name: owner, category, domains } of entities) {
    const kind = KINDS[category];
    if (kind === undefined) continue;
    for (const domain of domains) {
      const name = domain.toLowerCase().replace(/^\*\./, '');
      if (!NOT_ONLY.has(name) && !isSuffix(name)) table.set(name, { kind, owner });
    }
  }
  for (const [name, kind, owner] of ALSO) table.set(name, { kind, owner });
  return { find: (host) => find(table, host), size: table.size };
}

const MAX_HOST_LENGTH = 253;

/** Uses the longest matching name. */
function find(table: ReadonlyMap<string, KnownHost>, host: string): KnownHost | undefined {
  // No DNS name is longer (RFC 1035). A page may request one of 16,000 characters, which took 125 ms.
  if (host.length > MAX_HOST_LENGTH || isIP(host) !== 0) return undefined;
  for (let at = 0; at !== -1; at = nextLabel(host, at)) {
    const known = table.get(at === 0 ? host : host.slice(at));
    if (known !== undefined) return known;
  }
  return undefined;
}

/** Returns the start of the parent name; -1 if there is none. */
function nextLabel(host: string, from: number): number {
  const dot = host.indexOf('.', from);
  return dot === -1 ? -1 : dot + 1;
}
