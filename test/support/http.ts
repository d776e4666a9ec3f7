/** An answer, read completely. */
export interface CaptureAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Parses the body as JSON. @throws SyntaxError if it is invalid. */
  readonly json: () => unknown;
}

interface CaptureCall {
  /** Bearer token; without one, no Authorization header is sent. */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

const SHORT_WAIT_MS = 400;
const LONG_WAIT_MS = 8_000;

/**
 * Captures with a short limit for waits, so that a wait that fails takes little time. If the page itself does not load
 * within it, as on a slow machine, captures again with a longer limit.
 */
export async function captureSoon(base: string, body: Readonly<Record<string, unknown>>): Promise<CaptureAnswer> {
  const answer = await capture(base, { wait_for_timeout: SHORT_WAIT_MS, ...body });
  const isLate = answer.status === 500 && answer.body.includes('the page load took longer');
  return isLate ? await capture(base, { wait_for_timeout: LONG_WAIT_MS, ...body }) : answer;
}

/**
 * POSTs `body` as JSON to `/capture` of the service at `base`. Resolves with any status; rejects on network errors
 * only.
 */
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
