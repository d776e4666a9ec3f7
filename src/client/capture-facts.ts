/** What the service tells about a capture, beside its content. */
export interface CaptureFacts {
  readonly contentType: string;
  /** Pixels; pictures only. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Status with which the page answered; undefined for `html_content`. */
  readonly targetStatus: number | undefined;
  /** Where the page ended up after redirects; undefined for `html_content`. */
  readonly targetUrl: string | undefined;
  /** Codes of what ran out of time; mostly empty. */
  readonly warnings: readonly string[];
  /** Connections of the page that were refused because of where they went. */
  readonly blockedRequests: number;
  /** Requests that the fields of the capture kept away, such as `block_ads`. */
  readonly filteredRequests: number;
  /** Where the result is kept, and a link to it; undefined unless `store` asked for it. */
  readonly storedPath: string | undefined;
  readonly storedUrl: string | undefined;
  /** Milliseconds for each part of the capture: `queue`, `navigate`, `wait`, `render`. */
  readonly timings: Readonly<Record<string, number>>;
  /** The id under which the service has logged it. */
  readonly requestId: string | undefined;
  /** All headers of the answer. In a browser only those that the service exposes. */
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
    requestId: text('x-request-id'),
    headers,
  };
}

function readTimings(serverTiming: string): Record<string, number> {
  const parts = serverTiming.matchAll(/([\w-]+);dur=([\d.]+)/g);
  return Object.fromEntries([...parts].map(([, name = '', duration]) => [name, Number(duration)]));
}
