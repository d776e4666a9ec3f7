import type { CaptureAnswer } from '../../core/capture/capture.ts';
import type { CaptureOptions } from '../../core/capture/request/options.ts';

/** Values of the arguments that are a tool's own. */
export type OwnValues = Readonly<Record<string, number | undefined>>;

/** A finished capture of a tool call, with its options. */
export interface FinishedCall {
  readonly options: CaptureOptions;
  readonly answer: CaptureAnswer;
  /** Values of the arguments that are the tool's own. */
  readonly own: OwnValues;
  /** Age in seconds. Undefined: captured for this call. */
  readonly ageSeconds: number | undefined;
  readonly requestId: string;
  /** Signs a link to the document. Undefined if links are off. */
  readonly link: DocumentLink | undefined;
  /** Clients before protocol version 2025-06-18 refuse results with unknown content types. */
  readonly knowsLinks: boolean;
}

/** A link that needs no token. */
export interface DocumentLink {
  readonly url: string;
  /** Unix seconds. */
  readonly expires: number;
}
