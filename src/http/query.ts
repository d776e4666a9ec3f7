import { validationError } from '../errors.ts';

/** More than any request has fields; Node's own parser would silently drop what comes after its limit. */
const MAX_PARAMETERS = 200;

/** Query parameters by name, the first value of each (decisions.md 5), in the order in which they came. */
export type Query = ReadonlyMap<string, string>;

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
