import { describeHiddenField, findHiddenField, stringToSign } from '../../core/access/signed-text.ts';
import { type CaptureFields, FIELD_NAMES } from './capture-fields.ts';
import { captureAddress } from './service-address.ts';

const DEFAULT_LIFETIME_SECONDS = 3600; // the same value as in `POST /sign` and the command line

/** The signer, and the lifetime of the link. */
export interface SignOptions {
  /** Address of the service, such as `https://captures.example.com`. */
  readonly service: string | URL;
  /**
   * `URL_SIGNING_SECRET` of the service, or with `key`, one of its `signing_secrets`. Keep it out of web pages: anyone
   * who has it can sign any capture.
   */
  readonly secret: string;
  /** Id of the key of the service that the link belongs to. Default: the key of `AUTH_TOKEN`. */
  readonly key?: string | undefined;
  /** Lifetime in seconds. Default: 3,600. Recommended: 300 to 900. */
  readonly expiresIn?: number | undefined;
  /** Unix second of expiry, instead of `expiresIn`. `never` makes a link that does not expire. */
  readonly expires?: number | 'never' | undefined;
}

/**
 * Returns a signed link that makes the capture without a token. Signs locally, so the service checks the fields only
 * when the link is used.
 * @throws TypeError for an empty secret, a lifetime that is no integer, and fields that make the signed text ambiguous
 */
export async function signUrl(fields: CaptureFields, options: SignOptions): Promise<string> {
  if (options.secret === '') throw new TypeError('The signing secret is empty');
  const params = new Map(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, toText(value)]])),
  );
  if (options.key !== undefined) params.set('key', options.key);
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

/** Converts a value as the service expects it in a query: lists and objects as JSON. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** HMAC-SHA256 in URL-safe base64 without padding. */
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
