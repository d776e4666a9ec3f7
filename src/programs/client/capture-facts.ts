import type { Phase, WarningCode } from './service-names.ts';

/** Milliseconds of each phase of a capture. */
export type Timings = Readonly<Partial<Record<Phase, number>>>;

/** A name that this version knows, or one of a newer service. */
export type OrNewer<Name extends string> = Name | (string & Record<never, never>);

/** Metadata of a capture, from the response headers. */
export interface CaptureFacts {
  readonly contentType: string;
  /** Size in pixels, only for pictures. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Status of the page. Undefined for `html_content`. */
  readonly targetStatus: number | undefined;
  /** Final URL after redirects. Undefined for `html_content`. */
  readonly targetUrl: string | undefined;
  /** Usually empty. */
  readonly warnings: readonly OrNewer<WarningCode>[];
  /** Connections of the page that the egress rules refused. */
  readonly blockedRequests: number;
  /** Requests that fields such as `block_ads` blocked. */
  readonly filteredRequests: number;
  /** Path of the stored result, and a link to it. Undefined without `store`. */
  readonly storedPath: string | undefined;
  readonly storedUrl: string | undefined;
  readonly timings: Timings;
  /** SHA-256 of what a capture with `reproducible` depends on. Undefined for others. */
  readonly digest: string | undefined;
  /** Id in the log of the service. */
  readonly requestId: string | undefined;
  /** All response headers. In a browser, only those that the service exposes. */
  readonly headers: Headers;
}

/** Reads the headers of a capture. */
export function readFacts(headers: Headers): CaptureFacts {
  const text = (name: string): string | undefined => headers.get(name) ?? undefined;
  const number = (name: string): number | undefined => {
    const value = headers.get(name);
    return value === null ? undefined : Number(value);
  };
  return {
    contentType: text('content-type') ?? 'application/octet-stream',
    width: number('x-image-width'),
    height: number('x-image-height'),
    targetStatus: number('x-target-status'),
    targetUrl: text('x-target-url'),
    warnings: text('x-capture-warnings')?.split(',') ?? [],
    blockedRequests: number('x-blocked-requests') ?? 0,
    filteredRequests: number('x-filtered-requests') ?? 0,
    storedPath: text('x-stored-path'),
    storedUrl: text('x-stored-url'),
    timings: readTimings(text('server-timing') ?? ''),
    digest: text('x-capture-digest'),
    requestId: text('x-request-id'),
    headers,
  };
}

function readTimings(serverTiming: string): Timings {
  const parts = serverTiming.matchAll(/([\w-]+);dur=([\d.]+)/g);
  return Object.fromEntries([...parts].map(([, name = '', duration]) => [name, Number(duration)]));
}
