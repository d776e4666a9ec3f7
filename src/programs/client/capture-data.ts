import type { OrNewer, Timings } from './capture-facts.ts';
import type { CaptureFields } from './capture-fields.ts';
import type { WarningCode } from './service-names.ts';

/** Name of a part in `include`. */
export type PartName = NonNullable<CaptureFields['include']>[number];

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

/** The parts that `include` can name. */
interface Parts {
  readonly metadata: PageMetadata;
  /** Markup after scripts have run. */
  readonly html: TextPart;
  readonly markdown: TextPart;
  /** Texts that `visible_text` removes from the markdown. */
  readonly hidden_text: ListPart<HiddenText>;
  readonly links: ListPart<PageLink>;
  readonly console: ListPart<ConsoleLine>;
  readonly network: ListPart<NetworkRequest>;
  readonly accessibility: Bounded & { readonly tree: AccessibilityNode };
  /** Values by the names of the field `extract`. */
  readonly extract: Readonly<Record<string, unknown>>;
  /** Log-in of the next capture: its field `storage_state` takes it. */
  readonly storage_state: Bounded & NonNullable<CaptureFields['storage_state']>;
}

/** A capture with `response_type: 'json'`, with the parts that `include` names. */
export type CaptureData<Part extends PartName = PartName, Store extends boolean = boolean> = CommonData &
  Pick<Parts, Part> & { readonly file: CapturedFile & (Store extends true ? StoredFile : FileInBase64) };

interface CommonData {
  /** Id in the log of the service. For cached captures, the id of the request that made the capture. */
  readonly request_id: string | null;
  readonly target: {
    /** Final URL after redirects; null for `html_content`. */
    readonly url: string | null;
    /** Status of the page; null for `html_content`. */
    readonly status: number | null;
  };
  /** With `selector_each`. Then `file` describes all pictures, without content. */
  readonly elements?: readonly ElementPicture[];
  /** SHA-256 of what a capture with `reproducible` depends on. */
  readonly digest?: string;
  /** Usually empty. */
  readonly warnings: readonly OrNewer<WarningCode>[];
  readonly timings: Timings;
}

/** A picture of `selector_each`, and its place on the page in CSS pixels. */
export interface ElementPicture extends Partial<Omit<StoredFile, 'base64'>> {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly content_type: string;
  readonly bytes: number;
  /** Undefined with `store`. */
  readonly base64?: string;
}

interface CapturedFile {
  readonly content_type: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  /** Size in pixels, only for pictures. */
  readonly width?: number;
  readonly height?: number;
}

/** The file itself, without `store`. */
interface FileInBase64 {
  readonly base64: string;
  readonly url?: never;
}

/** With `store`. */
interface StoredFile {
  readonly base64?: never;
  /** Link to the stored file, valid until `expires_at`. */
  readonly url: string;
  /** ISO 8601 time. */
  readonly expires_at: string;
  /** Path in the storage of the service. */
  readonly path: string;
}

export interface HiddenText {
  readonly text: string;
  /** Why a person cannot see it. */
  readonly reason: string;
}

export interface PageMetadata extends Bounded {
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  /** Who wrote the page, as it says itself; several names have a comma between them. */
  readonly author: string | null;
  /** When it was published, as the page writes it: a date, or a date with a time. */
  readonly published: string | null;
  readonly modified: string | null;
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
