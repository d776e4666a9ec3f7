/** Returns the site of a host: its registrable domain. IP addresses and unregistrable names are their own site. */
export type SiteOf = (host: string) => string;

/**
 * Loads the public suffix list: `a.b.example.co.uk` belongs to `example.co.uk`. Private suffixes count, so
 * `one.github.io` and `two.github.io` are different sites. Loaded on first use, because the list is long.
 */
export async function loadSites(): Promise<SiteOf> {
  const { getDomain } = await import('tldts');
  return (host) => getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host;
}
