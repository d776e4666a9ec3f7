import { parseAddress } from './address.ts';
import { type EgressRule, matchesAddress, matchesName, parseEgressRules } from './rules.ts';
import { type Login, readLogin } from './url-login.ts';

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 } as const;

type ProxyProtocol = keyof typeof DEFAULT_PORTS;

/** The proxy that pages' connections go out through. */
export interface EgressProxy {
  readonly protocol: ProxyProtocol;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly login: Login | undefined;
}

export const PROXY_FORM = 'http://[user:password@]host[:port], or the same with https:// or socks5://';

/** Undefined for what is no address of a proxy, complete and without anything behind the port. */
export function parseProxy(text: string): EgressProxy | undefined {
  const protocol = /^(http|https|socks5)h?:\/\//i.exec(text)?.[1]?.toLowerCase();
  if (!isProtocol(protocol)) return undefined;
  // Of the schemes that it does not know, URL checks neither host nor port.
  const url = URL.parse(text.trim().replace(/^[^:]+/, 'http'));
  if (url === null || url.hostname === '') return undefined;
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  const login = readLogin(url);
  if (login === 'malformed') return undefined;
  return {
    protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    // To URL 80 is no port of http: worth telling apart for the others only.
    port: url.port !== '' ? Number(url.port) : hasPort80(text) ? 80 : DEFAULT_PORTS[protocol],
    login,
  };
}

function isProtocol(text: string | undefined): text is ProxyProtocol {
  return text !== undefined && text in DEFAULT_PORTS;
}

function hasPort80(text: string): boolean {
  return /:0*80\/?$/.test(text.trim());
}

/** Whether a connection goes around the proxy, by the name that was asked for and the addresses that it has. */
export type GoesAround = (host: string, addresses: readonly string[], port: number) => boolean;

/**
 * What NO_PROXY means: names with everything below them, `.suffix`, addresses, ranges, or `*`. The variable is other programs', too:
 * an entry that means nothing here is passed over.
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
