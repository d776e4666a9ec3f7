import type { FiltersEngine, Request } from '@ghostery/adblocker';
import type { FilterRules } from '../../../core/steps/common/filter-rules.ts';
import { createRegexTimeout } from '../../../core/ground/regex-timeout.ts';

type RequestType = Request['type'];
type CosmeticQuery = Parameters<FiltersEngine['getCosmeticsFilters']>[0];

const DECLARATIONS = / \{ [^{}]* \}$/;
/** Cosmetic rules that are not used: scripts and extended selectors. */
const NOTHING = {
  getBaseRules: false,
  getRulesFromHostname: false,
  getRulesFromDOM: false,
  getInjectionRules: false,
  getExtendedRules: false,
} as const;

/** Types by the protocol's names. All others are `other`. */
const TYPES: Readonly<Record<string, RequestType>> = {
  Document: 'sub_frame',
  Stylesheet: 'stylesheet',
  Image: 'image',
  Media: 'media',
  Font: 'font',
  Script: 'script',
  XHR: 'xhr',
  Fetch: 'fetch',
  Ping: 'ping',
};

/**
 * Maximum characters of an address for regular expressions: their time can grow with the square of the length or
 * faster.
 */
const MAX_LENGTH = 2_000;
/** Shorter addresses are matched without a time limit: expressions up to `MAX_REGEX_COST` need about 10 ms at worst. */
const UNWATCHED_LENGTH = 300;
/**
 * Time limit for all requests of a page together. One request takes 0.02 ms, so only a page with hostile addresses
 * reaches the limit.
 */
const PAGE_BUDGET_MS = 250;
/** Time limit for matching one request, during which the service does nothing else. */
const CALL_LIMIT_MS = 40;

/**
 * Creates an engine from the result of `parseLists`.
 * @throws Error if the bytes are from another version of the library
 */
export async function createListEngine(bytes: Uint8Array): Promise<FilterRules> {
  const library = await import('@ghostery/adblocker'); // loaded on demand: 9 MB
  // Copies the bytes to an aligned buffer, and releases the message that they came in.
  const engine = library.FiltersEngine.deserialize(new Uint8Array(bytes));
  const requestOf = (url: string, type: RequestType, sourceUrl: string): Request =>
    library.Request.fromRawDetails({ url: url.slice(0, MAX_LENGTH), type, sourceUrl });
  const stylesOf = (url: string, query: Partial<CosmeticQuery>): string => {
    const { hostname, domain } = requestOf(url, 'main_frame', url);
    const { styles } = engine.getCosmeticsFilters({ url, hostname, domain, ...NOTHING, ...query });
    return oneRuleEach(styles);
  };
  const callWatched = createRegexTimeout();
  /** Undefined if the lists need too much time for a long address. */
  const withinLimit = <T>(url: string, work: () => T, limitMs = CALL_LIMIT_MS): T | undefined =>
    url.length <= UNWATCHED_LENGTH ? work() : callWatched(work, limitMs);

  return {
    excepts: (documentUrl) =>
      withinLimit(documentUrl, () => isExcepted(engine, requestOf(documentUrl, 'main_frame', documentUrl))) ?? false,
    forPage: () => {
      let leftMs = PAGE_BUDGET_MS;
      return ({ url, resourceType, source }) => {
        if (leftMs <= 0) return false;
        const startedAt = performance.now();
        const request = requestOf(url, TYPES[resourceType] ?? 'other', source);
        const isBlocked = withinLimit(url, () => engine.match(request).match, Math.min(leftMs, CALL_LIMIT_MS));
        leftMs -= performance.now() - startedAt;
        return isBlocked ?? false;
      };
    },
    stylesForPage: (url) =>
      withinLimit(url, () => stylesOf(url, { getBaseRules: true, getRulesFromHostname: true })) ?? '',
    stylesForNames: (url, { classes, ids, links }) => {
      if (classes.length + ids.length + links.length === 0) return '';
      const query = { classes: [...classes], ids: [...ids], hrefs: [...links], getRulesFromDOM: true };
      return withinLimit(url, () => stylesOf(url, query)) ?? '';
    },
  };
}

/** Exceptions such as `@@||example.com^$document`, which the library leaves to its callers. */
function isExcepted(engine: FiltersEngine, document: Request): boolean {
  return [...engine.matchAll(document)].some((rule) => rule.isException() && rule.fromDocument() && !rule.fromAny());
}

/**
 * Splits a style sheet whose thousand selectors share one rule into one rule per selector: the browser would drop the
 * whole rule for one invalid selector. Selectors have no line breaks, because each was one line of a list.
 */
export function oneRuleEach(styles: string): string {
  let declarations = '';
  const lines = styles.split('\n').filter((line) => line !== '');
  const apart = lines.toReversed().map((line) => {
    const own = DECLARATIONS.exec(line);
    if (own === null) return line.replace(/,$/, declarations);
    [declarations] = own;
    return line;
  });
  return apart.toReversed().join('\n');
}
