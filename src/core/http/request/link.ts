import { LRUCache } from 'lru-cache';
import type { RequestOptions } from '../../capture/request/options.ts';
import { validationError } from '../../ground/errors.ts';
import type { Key } from '../../access/key.ts';

/** More than the number of fields. Node's own parser would silently drop parameters above its limit. */
const MAX_PARAMETERS = 200;

/**
 * Query parameters by name, with the first value of each, in their order. Used for the signature and for the capture.
 */
export type Query = ReadonlyMap<string, string>;

/** The query of a request, and the values computed from it, because links are followed many times. */
export interface Link {
  readonly query: Query;
  /**
   * The key whose secret has signed it, once that was verified. While the key is in force, only the expiry is checked
   * again.
   */
  verifiedBy?: Key;
  /** The parsed options. */
  options?: RequestOptions;
  /** The cache key of these options. */
  cacheKey?: string;
}

// Memory limit of the links: about 10 MB with their objects. Longer links contain markup and are rarely followed twice.
const KNOWN_CHARACTERS = 1_000_000;
const LONGEST_KNOWN = 8_192;
const OBJECT_CHARACTERS = 500; // overhead of a link in the same unit: there may be 2,000 links

/**
 * Memo of recent links: the only state that is kept between requests.
 * @returns the link of a request target. Throws like `parseQuery`
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
    const link = { query: parseQuery(requestTarget) };
    known.set(requestTarget, link);
    return link;
  };
}

/**
 * Parses a query strictly: `+` and percent-encoding as in forms. Invalid UTF-8 is refused, because it would be signed
 * as one text and captured as another.
 * @throws ServiceError ValidationError
 */
export function parseQuery(requestTarget: string): Query {
  const start = requestTarget.indexOf('?');
  const query = new Map<string, string>();
  if (start === -1) return query;
  const pairs = requestTarget.slice(start + 1).split('&', MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) {
    throw validationError(`The query may have at most ${MAX_PARAMETERS} parameters`);
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
    throw validationError('The query has percent-encoding that is not valid UTF-8', error);
  }
}
