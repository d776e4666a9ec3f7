import type { Values } from './form/values.ts';

/** A capture as received. */
export interface Captured {
  readonly kind: 'captured';
  readonly body: Blob;
  readonly type: string;
  readonly filename: string;
  readonly header: (name: string) => string | undefined;
}

/** An error answer of the service. */
export interface Failure {
  readonly kind: 'failure';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly details: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;
}

export interface SignedLink {
  readonly kind: 'signed';
  readonly url: string;
  /** Unix seconds. */
  readonly expires: number;
}

export interface Call {
  readonly token: string | undefined;
  readonly signal?: AbortSignal;
}

interface Sent extends Call {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Files in base64 by name, sent beside the body. */
  readonly files?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface ErrorBody {
  readonly message?: string;
  readonly error_type?: string;
  readonly error_details?: string;
  readonly retry_after?: number;
  readonly request_id?: string;
}

/** Returns the URL of a path of this service, also behind a proxy with a path prefix. */
export function serviceUrl(path: string): string {
  return new URL(path, document.baseURI).href;
}

/** Calls `POST /capture`. Rejects with the signal's reason when it fires. */
export async function capture(values: Values, call: Call): Promise<Captured | Failure> {
  const { files, ...body } = values;
  const answer = await send('capture', { ...call, method: 'POST', body, files });
  if (!(answer instanceof Response)) return answer;
  const type = answer.headers.get('Content-Type') ?? '';
  const disposition = answer.headers.get('Content-Disposition') ?? '';
  const { headers } = answer;
  try {
    return {
      kind: 'captured',
      body: await answer.blob(),
      type: type.split(';')[0] ?? '',
      filename: /filename=([\w.-]+)/.exec(disposition)?.[1] ?? 'screenshot',
      header: (name) => headers.get(name) ?? undefined,
    };
  } catch (error) {
    call.signal?.throwIfAborted();
    return unreachable(error);
  }
}

/** Calls `POST /sign`. */
export async function sign(params: Values, lifetimeSeconds: number, call: Call): Promise<SignedLink | Failure> {
  const body = { params, expires_in: lifetimeSeconds };
  const answer = await send('sign', { ...call, method: 'POST', body });
  if (!(answer instanceof Response)) return answer;
  const read = await readJson<{ signed_url: string; expires: number }>(answer, call);
  return isFailure(read) ? read : { kind: 'signed', url: read.signed_url, expires: read.expires };
}

/**
 * Sends a request. Returns the response, or a failure for an error status. Rejects with the signal's reason when it
 * fires.
 */
export async function send(path: string, sent: Sent): Promise<Response | Failure> {
  const { method = 'GET', body, files, headers, token, signal } = sent;
  try {
    const answer = await fetch(serviceUrl(path), {
      method,
      headers: {
        ...(body !== undefined && files === undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: files === undefined ? JSON.stringify(body) : toForm(body, files) }),
      ...(signal !== undefined && { signal }),
    });
    return answer.ok ? answer : await toFailure(answer);
  } catch (error) {
    signal?.throwIfAborted();
    return unreachable(error);
  }
}

/** A multipart body, which has room for more files than JSON. */
function toForm(body: unknown, files: unknown): FormData {
  const form = new FormData();
  form.append('request', JSON.stringify(body));
  for (const [name, content] of Object.entries(Object(files))) {
    const bytes = Uint8Array.from(atob(String(content)), (character) => character.charCodeAt(0));
    form.append(name, new Blob([bytes]), name);
  }
  return form;
}

/**
 * Reads the JSON of a response. Returns a failure if the connection breaks. Rejects with the signal's reason when it
 * fires.
 */
export async function readJson<T extends object>(
  answer: Response,
  { signal }: Pick<Call, 'signal'>,
): Promise<T | Failure> {
  try {
    const body: T = await answer.json();
    return body;
  } catch (error) {
    signal?.throwIfAborted();
    return unreachable(error);
  }
}

export function isFailure(read: object): read is Failure {
  return 'kind' in read && read.kind === 'failure';
}

async function toFailure(answer: Response): Promise<Failure> {
  const text = await answer.text();
  const body = parseError(text);
  return {
    kind: 'failure',
    status: answer.status,
    type: body.error_type ?? `Status ${answer.status}`,
    message: body.message ?? 'The answer is not from the service. Is there a proxy in between?',
    details: body.error_details,
    retryAfterSeconds: body.retry_after,
    requestId: body.request_id,
  };
}

function parseError(text: string): ErrorBody {
  try {
    const body: ErrorBody = Object(JSON.parse(text));
    return body;
  } catch {
    return {}; // a page of a proxy
  }
}

function unreachable(error: unknown): Failure {
  return {
    kind: 'failure',
    status: 0,
    type: 'No answer',
    message: 'The service did not answer: is it running?',
    details: error instanceof Error ? error.message : undefined,
    retryAfterSeconds: undefined,
    requestId: undefined,
  };
}
