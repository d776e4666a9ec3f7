import { LRUCache } from 'lru-cache';
import type { CaptureOptions } from '../../capture/request/options.ts';
import { validationError } from '../../errors.ts';

/** More than any request has fields; Node's own parser would silently drop what comes after its limit. */
const MAX_PARAMETERS = 200;

/** Query parameters by name, the first value of each, for the signature and for the capture alike, in the order in which they came. */
export type Query = ReadonlyMap<string, string>;

/** The query that a request came with, and what was found out about it: a link is followed many times. */
export interface Link {
  readonly query: Query;
  /** True once its signature was found good. It stays so, but for its end: secret and fields do not change. */
  isVerified: boolean;
  /** What it asks for, once it was read. */
  options?: CaptureOptions;
  /** Of those options, once it was reckoned. */
  cacheKey?: string;
}

// About 10 MB with what hangs on the links. A longer one holds markup, and is hardly followed twice.
const KNOWN_CHARACTERS = 1_000_000;
const LONGEST_KNOWN = 8_192;
const OBJECT_CHARACTERS = 500; // what is around a link, in the same unit: there may be 2,000 of them

/**
 * The memo of the links that were followed lately: the one place where something of an earlier request is kept for a later one.
 * @returns the link of a request target. It throws as `parseQuery`.
 */
export function createKnownLinks(): (requestTarget: string) => Link {
  const known = new LRUCache<string, Link>({
    maxSize: KNOWN_CHARACTERS,
    maxEntrySize: LONGEST_KNOWN,
    sizeCalculation: (_link, requestTarget) => requestTarget.length + OBJECT_CHARACTERS,
  });
  return (requestTarget) => {
    const found = known.get(requestTarget);
    if (found !== undefined) return found;
    const link = { query: parseQuery(requestTarget), isVerified: false };
    known.set(requestTarget, link);
    return link;
  };
}

/**
 * Parses a query string strictly: `+` and percent escapes as in forms, and escapes that are not UTF-8 are refused, as
 * they would be signed as one text and captured as another.
 * @throws ServiceError ValidationError.
 */
export function parseQuery(requestTarget: string): Query {
  const start = requestTarget.indexOf('?');
  const query = new Map<string, string>();
  if (start === -1) return query;
  const pairs = requestTarget.slice(start + 1).split('&', MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) {
    throw validationError(`The query may hold at most ${MAX_PARAMETERS} parameters`);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (query.has(name)) continue;
    query.set(name, equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    throw validationError('The query holds a percent escape that is not UTF-8', error);
  }
}
