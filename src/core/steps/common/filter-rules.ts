/** A request of a page. */
interface ListedRequest {
  readonly url: string;
  /** Resource type in the protocol, such as `Image`. */
  readonly resourceType: string;
  /** Address of the requesting document: rules distinguish its own site from others. */
  readonly source: string;
}

/** Names of the elements of a page. */
interface ListedNames {
  readonly classes: readonly string[];
  readonly ids: readonly string[];
  readonly links: readonly string[];
}

/** The compiled rules of the filter lists. */
export interface FilterRules {
  /** True for a document in which the lists block nothing. */
  readonly excepts: (documentUrl: string) => boolean;
  /** Returns the matcher for the requests of one page. */
  readonly forPage: () => (request: ListedRequest) => boolean;
  /** Returns the CSS rules that hide elements on all pages of a site. Empty if there are none. */
  readonly stylesForPage: (url: string) => string;
  /**
   * Returns the CSS rules for elements with these names. Lists have tens of thousands of such rules. Empty if there are
   * none.
   */
  readonly stylesForNames: (url: string, names: ListedNames) => string;
}
