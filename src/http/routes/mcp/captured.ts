import type { CaptureAnswer } from '../../../capture/capture.ts';
import type { CaptureOptions } from '../../../capture/request/options.ts';

/** A capture that is done, with what was asked for. */
export interface Captured {
  readonly options: CaptureOptions;
  readonly answer: CaptureAnswer;
  /** Seconds since it was made; undefined: it was made for this call. */
  readonly ageSeconds: number | undefined;
  readonly requestId: string;
  /** Signs a link to it; undefined where there can't be one. */
  readonly link: DocumentLink | undefined;
  /** Clients of the protocol before 2025-06-18 refuse results with a part that they do not know. */
  readonly knowsLinks: boolean;
}

/** An address that gives a capture to whoever has it. */
export interface DocumentLink {
  readonly url: string;
  /** Unix seconds. */
  readonly expires: number;
}
