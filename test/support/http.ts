/** An answer read to its end. */
export interface CaptureAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** The body as JSON. @throws SyntaxError when it is none. */
  readonly json: () => unknown;
}

interface CaptureCall {
  /** Sent as a bearer token; no Authorization header without one. */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** POSTs `body` as JSON to `/capture` of the service at `base`. Any status is an answer; only the network rejects. */
export async function capture(
  base: string,
  body: Readonly<Record<string, unknown>>,
  { token, signal }: CaptureCall = {},
): Promise<CaptureAnswer> {
  const response = await fetch(new URL('/capture', base), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    body: bytes,
    json: () => JSON.parse(bytes.toString('utf8')),
  };
}
