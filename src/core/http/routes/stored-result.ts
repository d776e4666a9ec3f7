import type { Request } from 'express';
import type { CaptureAnswer } from '../../capture/capture.ts';
import type { RequestOptions } from '../../capture/request/options.ts';
import type { RequestContext } from '../request/request-context.ts';

/** A stored result. */
export interface StoredResult {
  /** Headers with the path of the result and a link to it. */
  readonly headers: { readonly 'X-Stored-Path'?: string; readonly 'X-Stored-Url'?: string };
  /** Links to the file, or to each of its pictures. In JSON, they replace the contents. */
  readonly links: readonly StoredLink[];
}

export interface StoredLink {
  readonly url: string;
  readonly expires_at: string;
  readonly path: string;
}

/** Validates the host name of a request. The returned function stores the result. */
export type StoreResult = (
  request: Request,
  context: RequestContext,
  options: RequestOptions,
) => (answer: CaptureAnswer) => Promise<StoredResult>;
