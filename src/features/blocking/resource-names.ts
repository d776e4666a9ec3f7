/** Names of resource types in requests. */
export const RESOURCE_NAMES = [
  'image',
  'media',
  'font',
  'stylesheet',
  'script',
  'xhr',
  'fetch',
  'websocket',
  'iframe',
  'other',
] as const;
export type ResourceName = (typeof RESOURCE_NAMES)[number];

/** Names by the type of the Network domain. All other types are `other`. */
const BY_NETWORK_TYPE: Readonly<Record<string, ResourceName>> = {
  Image: 'image',
  Media: 'media',
  Font: 'font',
  Stylesheet: 'stylesheet',
  Script: 'script',
  XHR: 'xhr',
  Fetch: 'fetch',
  WebSocket: 'websocket',
  Document: 'iframe', // documents of frames; the main frame is never blocked
};

/**
 * Possible names for each type of the Fetch domain, the usual name first. It has fewer types than the Network domain
 * (Chrome 153).
 */
const BY_FETCH_TYPE = {
  Image: ['image'],
  Media: ['media', 'other'], // text tracks
  Font: ['font'],
  Stylesheet: ['stylesheet'],
  Script: ['script'],
  XHR: ['xhr', 'fetch', 'other'], // EventSource
  Fetch: ['other'], // prefetches
  Document: ['iframe'],
  Other: ['other', 'script'], // main script of a worker
  Ping: ['other'],
  CSPViolationReport: ['other'],
} as const satisfies Readonly<Record<string, readonly [ResourceName, ...ResourceName[]]>>;
export type HeldType = keyof typeof BY_FETCH_TYPE;

export function nameOfNetworkType(type: string): ResourceName {
  return Object.hasOwn(BY_NETWORK_TYPE, type) ? (BY_NETWORK_TYPE[type] ?? 'other') : 'other';
}

/** Returns the possible names of an intercepted request, the usual one first. */
export function namesOfHeldType(type: string): readonly [ResourceName, ...ResourceName[]] {
  return isHeldType(type) ? BY_FETCH_TYPE[type] : ['other'];
}

/** Returns the types that must be intercepted for these names. */
export function heldTypesFor(names: ReadonlySet<ResourceName>): readonly HeldType[] {
  return Object.keys(BY_FETCH_TYPE)
    .filter(isHeldType)
    .filter((type) => BY_FETCH_TYPE[type].some((name) => names.has(name)));
}

function isHeldType(type: string): type is HeldType {
  return Object.hasOwn(BY_FETCH_TYPE, type);
}
