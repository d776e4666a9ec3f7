import { parseAddress } from './address.ts';
import { type EgressRule, matchesAddress, matchesName, parseEgressRules } from './rules.ts';
import { type Login, readLogin } from './url-login.ts';

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 } as const;

type ProxyProtocol = keyof typeof DEFAULT_PORTS;

/** The outgoing proxy for connections of pages. */
export interface EgressProxy {
  readonly protocol: ProxyProtocol;
  /** Host, without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly login: Login | undefined;
}

export const PROXY_FORM = 'http://[user:password@]host[:port], or the same with https:// or socks5://';

/** Parses the URL of a proxy. Undefined if it is incomplete, or has anything after the port. */
export function parseProxy(text: string): EgressProxy | undefined {
  const protocol = /^(http|https|socks5)h?:\/\//i.exec(text)?.[1]?.toLowerCase();
  if (!isProtocol(protocol)) return undefined;
  // URL does not validate host and port of schemes that it does not know.
  const url = URL.parse(text.trim().replace(/^[^:]+/, 'http'));
  if (url === null || url.hostname === '') return undefined;
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  const login = readLogin(url);
  if (login === 'malformed') return undefined;
  return {
    protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    // URL drops port 80 of http. This matters only for the other schemes.
    port: url.port !== '' ? Number(url.port) : hasPort80(text) ? 80 : DEFAULT_PORTS[protocol],
    login,
  };
}

export const PROXIES_FORM =
  'a comma-separated list of name=proxy pairs: names of 1 to 63 characters of a-z 0-9 _ -, proxies as in EGRESS_PROXY, with %2C for a comma';

const PROXY_NAME = /^[a-z0-9_-]{1,63}$/;

/**
 * Parses PROXIES: `name=proxy` pairs, separated by commas.
 * @throws Error that names the invalid entry by its position, because the text may contain a password
 */
export function parseProxies(text: string): ReadonlyMap<string, EgressProxy> {
  const proxies = new Map<string, EgressProxy>();
  for (const [index, entry] of text.split(',').entries()) {
    if (entry.trim() === '') continue;
    const [, name = '', address = ''] = /^([^=]*)=(.*)$/s.exec(entry.trim()) ?? [];
    const proxy = parseProxy(address);
    if (!PROXY_NAME.test(name)) throw new Error(`entry ${index + 1} has no valid name`);
    if (proxies.has(name)) throw new Error(`${name} is there twice`);
    if (proxy === undefined) throw new Error(`${name} is not a complete proxy URL`);
    proxies.set(name, proxy);
  }
  return proxies;
}

function isProtocol(text: string | undefined): text is ProxyProtocol {
  return text !== undefined && text in DEFAULT_PORTS;
}

function hasPort80(text: string): boolean {
  return /:0*80\/?$/.test(text.trim());
}

/** Tells whether a connection bypasses the proxy, by the requested name and its addresses. */
export type GoesAround = (host: string, addresses: readonly string[], port: number) => boolean;

/**
 * Parses NO_PROXY: names with their subdomains, `.suffix`, addresses, ranges, or `*`. Ignores unknown entries, because
 * other programs use the variable, too.
 */
export function parseNoProxy(text: string): GoesAround {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.includes('*')) return () => true;
  const rules = entries.flatMap(readEntry);
  return (host, addresses, port) =>
    [host, ...addresses].some((each) => {
      const address = parseAddress(each);
      return address === undefined ? matchesName(rules, each, port) : matchesAddress(rules, address, port);
    });
}

function readEntry(entry: string): EgressRule[] {
  try {
    const [rule] = parseEgressRules(entry.replace(/^\./, '*.'));
    if (rule === undefined) return [];
    return 'name' in rule ? [rule, { port: rule.port, suffix: `.${rule.name}` }] : [rule];
  } catch {
    return [];
  }
}
