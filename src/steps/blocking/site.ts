/** The site that a host belongs to: what its owner has registered. An address, and what nobody can register, is a site of its own. */
export type SiteOf = (host: string) => string;

/**
 * What a site is, by the public suffix list: `a.b.example.co.uk` is part of `example.co.uk`. Those who give parts of their name to others
 * count as suffixes, so that `one.github.io` and `two.github.io` are two. Loaded with its first use, as the list is long.
 */
export async function loadSites(): Promise<SiteOf> {
  const { getDomain } = await import('tldts');
  return (host) => getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host;
}
