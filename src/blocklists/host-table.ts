import { isIP } from 'node:net';
import { ALSO, NOT_ONLY } from './host-amendments.ts';
import type { HostKind } from './host-kinds.ts';

/** What is known of a host. */
export interface KnownHost {
  readonly kind: HostKind;
  /** Whose it is: the hosts of one owner are there for each other. */
  readonly owner: string;
}

export interface HostTable {
  /** What a host is, by its name or by the name that it is below; undefined for all others, and for addresses. */
  readonly find: (host: string) => KnownHost | undefined;
  readonly size: number;
}

/** By the categories of the data; all others are parts of pages. */
const KINDS: Readonly<Record<string, HostKind>> = {
  ad: 'ads',
  analytics: 'trackers',
  'tag-manager': 'trackers',
  'customer-success': 'chats',
  social: 'socials',
};

let loading: Promise<HostTable> | undefined; // as a module is kept: it is the same for everyone, and never changes

/** The table that ships with the service. Read with its first use, and kept: 20 ms, and some 2 MB. */
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
  const isSuffix = (name: string): boolean => getPublicSuffix(name, { allowPrivateDomains: true }) === name; // whoever is below it has nothing to do with it

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

/** The longest name that the host is, or is below, counts. */
function find(table: ReadonlyMap<string, KnownHost>, host: string): KnownHost | undefined {
  if (isIP(host) !== 0) return undefined;
  for (let at = 0; at !== -1; at = nextLabel(host, at)) {
    const known = table.get(at === 0 ? host : host.slice(at));
    if (known !== undefined) return known;
  }
  return undefined;
}

/** Where the name begins that this one is below; -1 when there is none. */
function nextLabel(host: string, from: number): number {
  const dot = host.indexOf('.', from);
  return dot === -1 ? -1 : dot + 1;
}
