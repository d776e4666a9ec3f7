/** Says that a part was cut. */
interface Bounded {
  readonly truncated?: true;
}

interface TextPart extends Bounded {
  readonly text: string;
}

interface ListPart<Entry> extends Bounded {
  readonly entries: readonly Entry[];
}

/** A capture with `response_type: 'json'`; of the parts those that `include` names. */
export interface CaptureData {
  /** The id under which the service has logged the capture; from its cache, that of the request that had it made. */
  readonly request_id: string | null;
  readonly target: {
    /** Where the page ended up after redirects; null for `html_content`. */
    readonly url: string | null;
    /** Status with which the page answered; null for `html_content`. */
    readonly status: number | null;
  };
  readonly file: {
    readonly content_type: string;
    readonly bytes: number;
    /** Hexadecimal. */
    readonly sha256: string;
    /** Pixels; pictures only. */
    readonly width?: number;
    readonly height?: number;
    /** With `store` it is not here, but behind `url`. */
    readonly base64?: string;
    /** Until `expires_at`. */
    readonly url?: string;
    /** An ISO 8601 time. */
    readonly expires_at?: string;
    /** In the storage of the service. */
    readonly path?: string;
  };
  readonly metadata?: PageMetadata;
  /** The markup when scripts have made it. */
  readonly html?: TextPart;
  readonly markdown?: TextPart;
  readonly links?: ListPart<PageLink>;
  readonly console?: ListPart<ConsoleLine>;
  readonly network?: ListPart<NetworkRequest>;
  readonly accessibility?: Bounded & { readonly tree: AccessibilityNode };
  /** Codes of what ran out of time or was not there; mostly empty. */
  readonly warnings: readonly string[];
  /** Milliseconds for each phase of the capture. */
  readonly timings: Readonly<Record<string, number>>;
}

export interface PageMetadata extends Bounded {
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  readonly canonical: string | null;
  readonly icons: readonly { readonly url: string; readonly sizes?: string; readonly type?: string }[];
  /** By property, `og:title` and the like. */
  readonly open_graph: Readonly<Record<string, string>>;
  /** As the page has it: no JSON that anybody has checked. */
  readonly json_ld: readonly string[];
}

export interface PageLink {
  /** Whole, where the page has an address itself. */
  readonly url: string;
  readonly text: string;
}

export interface ConsoleLine {
  /** `log`, `info`, `warning`, `error`, `debug`. */
  readonly level: string;
  readonly text: string;
  readonly url: string | null;
  readonly line: number | null;
}

/** Null is what was not known when the page was captured. */
export interface NetworkRequest {
  readonly method: string;
  /** Secrets in it are `***`. */
  readonly url: string;
  readonly status: number | null;
  /** `document`, `stylesheet`, `image`, `script`, `xhr`, `fetch` and the like. */
  readonly type: string;
  /** Those that came over the network. */
  readonly bytes: number | null;
  readonly milliseconds: number | null;
  /** Why it came to nothing. */
  readonly error?: string;
}

export interface AccessibilityNode {
  readonly role: string;
  readonly name: string;
  readonly children?: readonly AccessibilityNode[];
}
