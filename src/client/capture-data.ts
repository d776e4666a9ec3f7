/** True if the part was cut. */
interface Bounded {
  readonly truncated?: true;
}

interface TextPart extends Bounded {
  readonly text: string;
}

interface ListPart<Entry> extends Bounded {
  readonly entries: readonly Entry[];
}

/** A capture with `response_type: 'json'`, with the parts that `include` names. */
export interface CaptureData {
  /** Id in the log of the service. For cached captures, the id of the request that made the capture. */
  readonly request_id: string | null;
  readonly target: {
    /** Final URL after redirects; null for `html_content`. */
    readonly url: string | null;
    /** Status of the page; null for `html_content`. */
    readonly status: number | null;
  };
  readonly file: {
    readonly content_type: string;
    readonly bytes: number;
    /** In hexadecimal. */
    readonly sha256: string;
    /** Size in pixels, only for pictures. */
    readonly width?: number;
    readonly height?: number;
    /** Missing with `store`; use `url` instead. */
    readonly base64?: string;
    /** Link to the stored file, valid until `expires_at`. */
    readonly url?: string;
    /** ISO 8601 time. */
    readonly expires_at?: string;
    /** Path in the storage of the service. */
    readonly path?: string;
  };
  readonly metadata?: PageMetadata;
  /** Markup after scripts have run. */
  readonly html?: TextPart;
  readonly markdown?: TextPart;
  readonly links?: ListPart<PageLink>;
  readonly console?: ListPart<ConsoleLine>;
  readonly network?: ListPart<NetworkRequest>;
  readonly accessibility?: Bounded & { readonly tree: AccessibilityNode };
  /** Warning codes. Usually empty. */
  readonly warnings: readonly string[];
  /** Milliseconds of each phase of the capture. */
  readonly timings: Readonly<Record<string, number>>;
}

export interface PageMetadata extends Bounded {
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  readonly canonical: string | null;
  readonly icons: readonly { readonly url: string; readonly sizes?: string; readonly type?: string }[];
  /** Values by property, for example `og:title`. */
  readonly open_graph: Readonly<Record<string, string>>;
  /** Raw texts of the page, not checked for valid JSON. */
  readonly json_ld: readonly string[];
}

export interface PageLink {
  /** Absolute URL. */
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

/** Null means not known when the page was captured. */
export interface NetworkRequest {
  readonly method: string;
  /** Secrets are replaced by `***`. */
  readonly url: string;
  readonly status: number | null;
  /** `document`, `stylesheet`, `image`, `script`, `xhr`, `fetch` and the like. */
  readonly type: string;
  /** Transferred bytes. */
  readonly bytes: number | null;
  readonly milliseconds: number | null;
  /** Reason of a failed request. */
  readonly error?: string;
}

export interface AccessibilityNode {
  readonly role: string;
  readonly name: string;
  readonly children?: readonly AccessibilityNode[];
}
