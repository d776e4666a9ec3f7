import { LRUCache } from 'lru-cache';
import { validationError } from '../../errors.ts';

/** More than any request has fields; Node's own parser would silently drop what comes after its limit. */
const MAX_PARAMETERS = 200;

/** Query parameters by name, the first value of each, for the signature and for the capture alike, in the order in which they came. */
export type Query = ReadonlyMap<string, string>;

// About 10 MB with what hangs on the queries. A longer one holds markup, and is hardly sent twice.
const RECENT_CHARACTERS = 1_000_000;
const LONGEST_RECENT = 8_192;
const OBJECT_CHARACTERS = 500; // what is around a query, in the same unit: there may be 2,000 of them

/**
 * As `parseQuery`, and gives back the same object for the same text while it remembers it: links are followed many times, and
 * what is found out about a query can be kept in a WeakMap.
 */
export function createQueryParser(): (requestTarget: string) => Query {
  const recent = new LRUCache<string, Query>({
    maxSize: RECENT_CHARACTERS,
    maxEntrySize: LONGEST_RECENT,
    sizeCalculation: (_query, requestTarget) => requestTarget.length + OBJECT_CHARACTERS,
  });
  return (requestTarget) => {
    const known = recent.get(requestTarget);
    if (known !== undefined) return known;
    const query = parseQuery(requestTarget);
    recent.set(requestTarget, query);
    return query;
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
