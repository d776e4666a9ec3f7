import type { FiltersEngine, Request } from '@ghostery/adblocker';
import { oneRuleEach } from './hiding-rules.ts';
import { createWatchedCall } from './watched-call.ts';

/** One request of a page. */
interface ListedRequest {
  readonly url: string;
  /** As the browser names it: `Image`. */
  readonly resourceType: string;
  /** The address of the document that asks: rules tell its own site from others. */
  readonly source: string;
}

/** What the elements of a page are called. */
interface ListedNames {
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  readonly links: readonly string[];
}

/** The rules of some lists. */
export interface ListEngine {
  /** True for a document in which the lists want nothing kept away. */
  readonly excepts: (documentUrl: string) => boolean;
  /** The judge of the requests of one page. */
  readonly forPage: () => (request: ListedRequest) => boolean;
  /** Style rules that hide what the lists want hidden on all pages of a site; empty when there are none. */
  readonly stylesForPage: (url: string) => string;
  /** Those for elements of these names, of which lists have tens of thousands; empty when there are none. */
  readonly stylesForNames: (url: string, names: ListedNames) => string;
}

type RequestType = Request['type'];
type CosmeticQuery = Parameters<FiltersEngine['getCosmeticsFilters']>[0];

/** Of the rules about what is seen. Scripts and extended selectors are not honoured. */
const NOTHING = {
  getBaseRules: false,
  getRulesFromHostname: false,
  getRulesFromDOM: false,
  getInjectionRules: false,
  getExtendedRules: false,
} as const;

/** By the names of the browser. All others are `other` to the lists. */
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

/** Of an address, for expressions over it: the work for some grows with the square of its length, and more. */
const MAX_LENGTH = 2_000;
/** Shorter ones are judged without a watch: expressions of `MAX_REGEX_COST` take some 10 ms of them, at the very worst. */
const UNWATCHED_LENGTH = 300;
/** For all requests of a page. One is a matter of 0.02 ms: a page that needs as much has chosen its addresses for it. */
const PAGE_BUDGET_MS = 250;

/**
 * Makes an engine of what `parseLists` gave.
 * @throws Error when the bytes are none of this version of the library
 */
export async function createListEngine(bytes: Uint8Array): Promise<ListEngine> {
  const library = await import('@ghostery/adblocker'); // only when it is needed: 9 MB
  // A copy begins where the library's words of four bytes may begin, and lets go of the message that the bytes came in.
  const engine = library.FiltersEngine.deserialize(new Uint8Array(bytes));
  const requestOf = (url: string, type: RequestType, sourceUrl: string): Request =>
    library.Request.fromRawDetails({ url: url.slice(0, MAX_LENGTH), type, sourceUrl });
  const stylesOf = (url: string, wanted: Partial<CosmeticQuery>): string => {
    const { hostname, domain } = requestOf(url, 'main_frame', url);
    const { styles } = engine.getCosmeticsFilters({ url, hostname, domain, ...NOTHING, ...wanted });
    return oneRuleEach(styles);
  };
  const callWatched = createWatchedCall();

  return {
    excepts: (documentUrl) => isExcepted(engine, requestOf(documentUrl, 'main_frame', documentUrl)),
    forPage: () => {
      let leftMs = PAGE_BUDGET_MS;
      return ({ url, resourceType, source }) => {
        if (leftMs <= 0) return false;
        const startedAt = performance.now();
        const request = requestOf(url, TYPES[resourceType] ?? 'other', source);
        const judge = (): boolean => engine.match(request).match;
        const isBlocked = url.length <= UNWATCHED_LENGTH ? judge() : callWatched(judge, leftMs);
        leftMs -= performance.now() - startedAt;
        return isBlocked ?? false;
      };
    },
    stylesForPage: (url) => stylesOf(url, { getBaseRules: true, getRulesFromHostname: true }),
    stylesForNames: (url, { classes, ids, links }) => {
      if (classes.length + ids.length + links.length === 0) return '';
      return stylesOf(url, {
        classes: [...classes],
        ids: [...ids],
        hrefs: [...links],
        getRulesFromDOM: true,
      });
    },
  };
}

/** By a rule such as `@@||example.com^$document`. The engine leaves it to its callers to heed those. */
function isExcepted(engine: FiltersEngine, document: Request): boolean {
  return [...engine.matchAll(document)].some(
    (rule) => rule.isException() && rule.fromDocument() && !rule.fromAny(),
  );
}
