/** What a client calls the kinds of requests. */
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

/** By what the Network domain calls them. What is not here has no name of its own: `other`. */
const BY_NETWORK_TYPE: Readonly<Record<string, ResourceName>> = {
  Image: 'image',
  Media: 'media',
  Font: 'font',
  Stylesheet: 'stylesheet',
  Script: 'script',
  XHR: 'xhr',
  Fetch: 'fetch',
  WebSocket: 'websocket',
  Document: 'iframe', // the main frame's own is never one of these
};

/** The Fetch domain, which holds requests, knows fewer types (Chrome 153): the names that may hide behind each, the usual one first. */
const BY_FETCH_TYPE = {
  Image: ['image'],
  Media: ['media', 'other'], // text tracks
  Font: ['font'],
  Stylesheet: ['stylesheet'],
  Script: ['script'],
  XHR: ['xhr', 'fetch', 'other'], // event sources
  Fetch: ['other'], // what is fetched ahead
  Document: ['iframe'],
  Other: ['other', 'script'], // the first script of a worker
  Ping: ['other'],
  CSPViolationReport: ['other'],
} as const satisfies Readonly<Record<string, readonly [ResourceName, ...ResourceName[]]>>;
export type HeldType = keyof typeof BY_FETCH_TYPE;

export function nameOfNetworkType(type: string): ResourceName {
  return Object.hasOwn(BY_NETWORK_TYPE, type) ? (BY_NETWORK_TYPE[type] ?? 'other') : 'other';
}

/** What a held request of this type may be, the usual first. */
export function namesOfHeldType(type: string): readonly [ResourceName, ...ResourceName[]] {
  return isHeldType(type) ? BY_FETCH_TYPE[type] : ['other'];
}

/** The types that must be held for any of these names. */
export function heldTypesFor(names: ReadonlySet<ResourceName>): readonly HeldType[] {
  return Object.keys(BY_FETCH_TYPE)
    .filter(isHeldType)
    .filter((type) => BY_FETCH_TYPE[type].some((name) => names.has(name)));
}

function isHeldType(type: string): type is HeldType {
  return Object.hasOwn(BY_FETCH_TYPE, type);
}
