/**
 * Top-level names that mean something local, or nothing at all: RFC 6761, 6762, 7686, 8375 and 9476, ICANN's `internal`, and what
 * home routers, company networks and clusters use.
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

/** True for a name that no public DNS knows: a single label, or one under a special-use suffix. Lower case, no dot at the end. */
export function isSpecialName(name: string): boolean {
  const labels = name.split('.');
  if (labels.length === 1) return true;
  return SPECIAL_SUFFIXES.has(labels.at(-1) ?? '') || SPECIAL_SUFFIXES.has(labels.slice(-2).join('.'));
}
