import { type CaptureJob, toJob } from './job-data.ts';

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const LEAST_SECRET_BYTES = 24;
const TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/** The message was not signed by this secret, or it is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Headers of a request, as servers give them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** `WEBHOOK_SECRET` of the service, also while it has two secrets. */
  readonly secret: string;
  /** Age in seconds from which a message is refused. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
}

/**
 * Returns the job of a webhook (Standard Webhooks 1.0).
 * @param body the body as it was received, before any JSON parser
 * @throws WebhookError if none of the secrets has signed it, or if it is too old
 * @throws TypeError for a secret that is missing or has another form
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  { secret, toleranceSeconds = TOLERANCE_SECONDS }: WebhookOptions,
): Promise<CaptureJob> {
  if (typeof secret !== 'string') throw new TypeError('The secret of the webhooks is missing');
  const keys = await Promise.all(secret.split(/\s+/).filter(Boolean).map(toKey));
  if (keys.length === 0) throw new TypeError('The secret of the webhooks is empty');
  const [id, sent, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`));
  if (id === undefined || sent === undefined || signatures === undefined || !/^\d{1,12}$/.test(sent))
    throw new WebhookError('The headers of a webhook are missing');
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(sent));
  if (!(ageSeconds <= toleranceSeconds))
    // also for a limit that is no number
    throw new WebhookError('The webhook is too old, or the clock of this machine is wrong');
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const start = encoder.encode(`${id}.${sent}.`);
  const signed = new Uint8Array(start.length + bytes.length);
  signed.set(start);
  signed.set(bytes, start.length);
  const given = signatures.split(' ').filter((each) => each.startsWith('v1,'));
  for (const key of keys)
    for (const signature of given.slice(0, 10))
      if (await crypto.subtle.verify('HMAC', key, toBytes(signature.slice('v1,'.length)), signed))
        return readSigned(bytes);
  throw new WebhookError('The signature of the webhook is wrong');
}

/** @throws WebhookError if the body is no job */
function readSigned(bytes: Uint8Array): CaptureJob {
  try {
    return toJob(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), 200);
  } catch (error) {
    throw new WebhookError('The body of the webhook is no job', { cause: error });
  }
}

/** A secret of another form must not become an empty key, which everybody has. */
async function toKey(secret: string): Promise<CryptoKey> {
  const bytes = toBytes(SECRET.exec(secret)?.[1] ?? '');
  if (bytes.length < LEAST_SECRET_BYTES)
    throw new TypeError(`A secret of webhooks must be whsec_ and at least ${LEAST_SECRET_BYTES} bytes in base64`);
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Decodes base64. Empty for a text that is none. */
function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}
