import { z } from 'zod';
import { ERROR_CATALOGUE, type ErrorType } from '../../core/ground/errors.ts';
import { parseJson } from '../../core/ground/parse-json.ts';
import type { WebhookMessage } from './webhook.ts';

const MAX_HEADERS = 100;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]{0,8192}$/;
const METHODS = ['POST', 'PUT', 'PATCH'] as const;
/** Headers of the connection, which the sender sets. */
const OWN_HEADERS = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive)$/i;

const NO_ADDRESS = 'must be an http or https address';
const webAddress = z
  .string(NO_ADDRESS)
  .max(2_048, NO_ADDRESS)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), NO_ADDRESS);
const headerFields = z
  .record(z.string(), z.string(), 'must be a JSON object of header names and texts')
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`)
  .refine(
    (headers) => Object.keys(headers).every((name) => HEADER_NAME.test(name) && !OWN_HEADERS.test(name)),
    'has a name that is not valid, or that the service sets',
  )
  .refine(
    (headers) => Object.values(headers).every((value) => HEADER_VALUE.test(value)),
    'must have values of visible ASCII',
  );

/** A webhook that gets the file itself, or its error, as clients of another service expect. It is not signed. */
export const fileWebhook = z.object({
  url: webAddress,
  errorUrl: webAddress,
  method: z.enum(METHODS, `must be ${METHODS.join(', ')}`).default('POST'),
  errorMethod: z.enum(METHODS, `must be ${METHODS.join(', ')}`).default('POST'),
  /** Headers of both requests. */
  headers: headerFields.default({}),
  /** Statuses in the bodies of errors that differ from ours, by error type. */
  statuses: z.record(z.string(), z.number()).default({}),
});
export type FileWebhook = z.output<typeof fileWebhook>;

/** Returns the address of a job's webhook, which has all of this. */
export function addressOfFileWebhook(webhook: FileWebhook): string {
  return JSON.stringify(webhook);
}

/** Undefined if the address is that of a webhook with a signed message. */
export function readFileWebhook(address: string): FileWebhook | undefined {
  return address.startsWith('{') ? fileWebhook.parse(parseJson(address)) : undefined;
}

type UnsentMessage = Pick<WebhookMessage, 'url' | 'body'>;

/** @param headers content type and disposition of the file */
export function fileMessage(
  { url, method, headers: extra }: FileWebhook,
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): UnsentMessage {
  return { url, body: { method, headers: { ...headers, ...extra }, bytes } };
}

interface CaptureError {
  readonly type: ErrorType;
  readonly message: string;
  readonly details?: string | undefined;
}

/** The body is `{ status, message }`. */
export function errorMessage(
  { errorUrl, errorMethod, headers, statuses }: FileWebhook,
  error: CaptureError,
): UnsentMessage {
  const status = statuses[error.type] ?? ERROR_CATALOGUE[error.type].status;
  const bytes = Buffer.from(JSON.stringify({ status, message: error.details ?? error.message }));
  return {
    url: errorUrl,
    body: { method: errorMethod, headers: { 'Content-Type': 'application/json', ...headers }, bytes },
  };
}
