import { z } from 'zod';
import { signedQuery, verifySignature } from '../../access/signature.ts';
import { integerField } from '../../steps/common/fields.ts';
import { type CaptureOptions, FIELD_NAMES } from '../../capture/request/options.ts';
import { readTextFields } from '../../capture/request/parse-options.ts';
import { checkSignedAnswer, checkSignedFields } from '../../capture/request/sensitive-fields.ts';
import { ServiceError, validationError } from '../../ground/errors.ts';
import { DEFAULT_KEY, type Key, seesEverything } from '../../access/key.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import { parseQuery } from '../request/link.ts';
import { parseBody } from '../request/read-body.ts';
import type { ParseRules } from './parse-request.ts';

const DEFAULT_LIFETIME_SECONDS = 3600; // the same value as in the client and the command line
const MAX_LIFETIME_SECONDS = 31_536_000; // maximum lifetime: one year

/** Leaves room for the headers of a browser in the 64 KB that the server reads. */
const MAX_QUERY_LENGTH = 57_344;

const PARAMS_ERROR = 'must be an object with the fields of a capture';

/** Schema of the body of `POST /sign`. */
export const signRequest = z.strictObject(
  {
    params: z
      .record(z.string(), z.unknown(), { error: PARAMS_ERROR })
      .meta({ description: 'The fields of the capture' }),
    expires_in: integerField(
      { min: 1, max: MAX_LIFETIME_SECONDS },
      { description: 'Lifetime of the link in seconds' },
    ).default(DEFAULT_LIFETIME_SECONDS),
  },
  { error: 'The request must be a JSON object with params and, optionally, expires_in' },
);

/** Scopes of a key that signs links. A link of a key without `capture` would be refused. */
const SCOPES_OF_LINKS = ['sign', 'capture'] as const;

/**
 * Returns the secret that signs links of a key.
 * @throws ServiceError InvalidSignatureError if signed links are off; ScopeError if the key may not sign links, or has
 * no secret
 */
export function signingSecretOf(key: Key | undefined, keys: KeyRing): string {
  const missing = SCOPES_OF_LINKS.find((scope) => key?.scopes.has(scope) === false);
  if (missing !== undefined) throw new ServiceError('ScopeError', undefined, { details: `needs the scope ${missing}` });
  const [secret] = (key ?? keys.byId(DEFAULT_KEY))?.signingSecrets ?? [];
  if (secret !== undefined) return secret;
  if (!seesEverything(key)) {
    throw new ServiceError('ScopeError', undefined, { details: 'the key has no signing_secrets' });
  }
  throw new ServiceError('InvalidSignatureError', 'Signed links are off', {
    details: 'URL_SIGNING_SECRET is not set',
  });
}

interface SignedLink {
  /** The text after the `?`. */
  readonly query: string;
  /** The options of the capture. */
  readonly options: CaptureOptions;
  /** Unix seconds. */
  readonly expires: number;
}

interface SignRules extends ParseRules {
  readonly key: Key | undefined;
  readonly secret: string;
  readonly nowSeconds: number;
}

/**
 * Signs a link for the body of `POST /sign`, and verifies that `GET /capture` would accept it.
 * @throws ServiceError ValidationError for every link that would be refused
 */
export async function createSignedLink(body: unknown, rules: SignRules): Promise<SignedLink> {
  const { parseFields, key } = rules;
  const { params: fields, expires_in: lifetimeSeconds } = parseBody(signRequest, body);
  await parseFields(fields, { key });
  checkSignedFields(new Set(Object.keys(fields)), rules.config.signedUrlAllow);

  const expires = Math.floor(rules.nowSeconds) + lifetimeSeconds;
  const params = new Map(Object.entries(fields).map(([name, value]) => [name, toText(value)]));
  // parsed as in a link
  const { capture: options } = await parseFields(readTextFields(params), { key });
  checkSignedAnswer(options);
  if (key !== undefined && key.id !== DEFAULT_KEY) params.set('key', key.id);
  params.set('expires', `${expires}`);
  const query = signedQuery(params, rules.secret);
  if (query.length > MAX_QUERY_LENGTH) {
    throw validationError(
      `The link would be ${query.length} characters long, more than the ${MAX_QUERY_LENGTH} that can be sent`,
    );
  }
  // Verified like a request: raw values can make the signed text ambiguous.
  verifySignature({
    params: parseQuery(`?${query}`),
    secrets: [rules.secret],
    knownFields: FIELD_NAMES,
    nowSeconds: rules.nowSeconds,
  });
  return { query, options, expires };
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  // A plain & would make the signed text ambiguous. In JSON, it occurs only inside strings, where its escape has the
  // same meaning.
  return JSON.stringify(value).replaceAll('&', String.raw`\u0026`);
}
