/**
 * Top-level names for local use, or without meaning: RFC 6761, 6762, 7686, 8375 and 9476, ICANN's `internal`, and names
 * that home routers, company networks and clusters use.
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

/**
 * True for names that public DNS does not know: a single label, or a name under a special-use suffix. Expects lower
 * case, no trailing dot.
 */
export function isSpecialName(name: string): boolean {
  const labels = name.split('.');
  if (labels.length === 1) return true;
  return SPECIAL_SUFFIXES.has(labels.at(-1) ?? '') || SPECIAL_SUFFIXES.has(labels.slice(-2).join('.'));
}
