import { type ClientRequest, createCalls } from '../client/calls.ts';
import { CaptureError } from '../client/capture-error.ts';
import { encodeJson, encodeRequest } from '../client/capture-request.ts';
import { readJson } from '../client/json.ts';
import { readLink, type SignedLink } from '../client/capture-result.ts';
import type { Values } from './form/values.ts';

/** A capture as received. */
export interface Captured {
  readonly body: Blob;
  readonly type: string;
  readonly filename: string;
  readonly header: (name: string) => string | undefined;
}

/** Credentials of a call, and the signal that cancels it. */
export interface Caller {
  readonly token: string | undefined;
  readonly signal?: AbortSignal;
}

/** Longer than any time limit of the service. */
const CALL_LIMIT_MS = 600_000;

/** Returns the URL of a path of this service, also behind a proxy with a path prefix. */
export function serviceUrl(path: string): string {
  return new URL(path, document.baseURI).href;
}

/** Sends a request once. Returns the error instead of throwing it. Rejects with the signal's reason when it fires. */
export async function send<Answer>(
  path: string,
  { token, signal, ...request }: Partial<Omit<ClientRequest, 'address'>> & Caller,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer | CaptureError> {
  const call = createCalls({ service: document.baseURI, token, retries: 0, timeoutMs: CALL_LIMIT_MS });
  try {
    return await call({ address: new URL(serviceUrl(path)), method: 'GET', ...request }, { signal }, read);
  } catch (error) {
    if (error instanceof CaptureError) return error;
    throw error;
  }
}

/** Calls `POST /capture`. */
export function capture(values: Values, caller: Caller): Promise<Captured | CaptureError> {
  const encoded = encodeFields(values, (fields) => fields);
  return send('capture', { ...caller, method: 'POST', encoded }, async (answer) => {
    const { headers } = answer;
    return {
      body: await answer.blob(),
      type: (headers.get('Content-Type') ?? '').split(';')[0] ?? '',
      filename: /filename=([\w.-]+)/.exec(headers.get('Content-Disposition') ?? '')?.[1] ?? 'screenshot',
      header: (name) => headers.get(name) ?? undefined,
    };
  });
}

/** Calls `POST /sign`. */
export function sign(params: Values, lifetimeSeconds: number, caller: Caller): Promise<SignedLink | CaptureError> {
  const encoded = encodeJson({ params, expires_in: lifetimeSeconds });
  return send('sign', { ...caller, method: 'POST', encoded }, readLink);
}

/** Reads a path that answers with JSON. */
export function get<Answer extends object>(path: string, caller: Caller): Promise<Answer | CaptureError> {
  const headers = { Accept: 'application/json' };
  return send(path, { ...caller, headers }, async (answer) => {
    const body: Answer = Object(await readJson(answer));
    return body;
  });
}

/** Encodes the fields of a capture. Files are bytes, because a multipart body has room for more of them than JSON. */
export function encodeFields(values: Values, place: (fields: object) => object): ReturnType<typeof encodeRequest> {
  const files = Object.entries(Object(values['files'])).map(([name, content]) => {
    return [name, Uint8Array.from(atob(String(content)), (character) => character.charCodeAt(0))] as const;
  });
  return encodeRequest({ ...values, files: files.length === 0 ? undefined : Object.fromEntries(files) }, place);
}
