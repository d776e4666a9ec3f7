import type { Request } from 'express';
import type { Captured, CaptureFacts } from '../../capture/capture-on-page.ts';
import type { Delivery } from '../../capture/request/delivery.ts';
import type { CaptureOptions } from '../../capture/request/options.ts';
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
  options: { readonly capture: Pick<CaptureOptions, 'format'>; readonly delivery: Delivery },
) => (answer: StorableAnswer) => Promise<StoredResult>;

/** A file, or several pictures. */
interface StorableAnswer extends Pick<Captured, 'file'> {
  readonly facts: Pick<CaptureFacts, 'elements'>;
}
