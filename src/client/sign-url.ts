import { describeHiddenField, findHiddenField, stringToSign } from '../auth/signed-text.ts';
import { type CaptureFields, FIELD_NAMES } from './capture-fields.ts';
import { captureAddress } from './service-address.ts';

const DEFAULT_LIFETIME_SECONDS = 3600; // as in `POST /sign` and the command line

/** Who signs, and for how long. */
export interface SignOptions {
  /** Address of the service, such as `https://captures.example.com`. */
  readonly service: string | URL;
  /** The service's `URL_SIGNING_SECRET`. Keep it out of pages: who has it can sign anything. */
  readonly secret: string;
  /** Seconds from now until the link ends; 3,600 by default, 300 to 900 is wise. */
  readonly expiresIn?: number | undefined;
  /** The Unix second at which it ends, instead of `expiresIn`; `never` makes a link without an end. */
  readonly expires?: number | 'never' | undefined;
}

/**
 * A link that captures what the fields say and needs no token. Made here, without asking the service: what it thinks of the fields
 * shows when the link is used.
 * @throws TypeError for an empty secret, a time that is no whole number, and fields that a signature could not hold together
 */
export async function signUrl(fields: CaptureFields, options: SignOptions): Promise<string> {
  if (options.secret === '') throw new TypeError('The signing secret is empty');
  const params = new Map(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, toText(value)]])),
  );
  const expires = endOf(options);
  if (expires !== undefined) params.set('expires', `${expires}`);
  const hidden = findHiddenField(params, FIELD_NAMES);
  if (hidden !== undefined) throw new TypeError(describeHiddenField(hidden));

  const address = captureAddress(options.service);
  const query = new URLSearchParams([...params]);
  query.append('signature', await hmac(stringToSign(params), options.secret));
  address.search = query.toString();
  return address.href;
}

function endOf({ expires, expiresIn = DEFAULT_LIFETIME_SECONDS }: SignOptions): number | undefined {
  if (expires === 'never') return undefined;
  const end = expires ?? Math.floor(Date.now() / 1000) + expiresIn;
  if (Number.isSafeInteger(end) && end >= 0) return end;
  throw new TypeError('expires and expiresIn must be whole numbers of seconds');
}

/** As the service reads a query: lists and objects are JSON there. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** HMAC-SHA256 in URL-safe base64 without padding, as the service has it. */
async function hmac(text: string, secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
