import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request whose JSON body, unless it is text or bytes, grows with the size. */
export interface GrowingRequest {
  /** Default: `/capture`. */
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string | Uint8Array;
}

/** An input that can be large, long, deep or many. */
export interface GrowthCase {
  /** What grows, as the census names it. */
  readonly name: string;
  /** Growing sizes. The last one is near the limit of the input, or beyond it. */
  readonly sizes: readonly number[];
  /** @param site address of the case's own site */
  readonly request: (size: number, site: string) => GrowingRequest;
  /** Answers requests to the own site. Default: a page with one line. */
  readonly site?: (size: number, request: IncomingMessage, response: ServerResponse) => void;
  /** A status that the sizes beyond the limit may have, besides 200. Default: 400. */
  readonly refusal?: number;
  /** Why processor time may grow faster than `LIMITS.exponent`, with the bound that holds instead. */
  readonly isSteep?: string;
}
