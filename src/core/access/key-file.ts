import { hash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../ground/parse-json.ts';
import { MAX_SECRETS } from './signature.ts';
import { parseEgressRules, RULE_FORM } from '../egress/rules.ts';
import { fieldPath } from '../ground/field-path.ts';
import { readAtMost } from '../ground/read-at-most.ts';
import { parseRate, RATE_FORM } from './rate.ts';
import { DEFAULT_KEY, type Key, SCOPES } from './key.ts';

/** Maximum size of the file. `MAX_KEYS` keys with four tokens and four secrets each take about 15 MB, indented. */
const MAX_FILE_BYTES = 33_554_432;
const MAX_KEYS = 10_000;
const MIN_SECRET_LENGTH = 32;

/** A key of the file, and the hashes of its tokens. */
export interface FileKey {
  readonly key: Key;
  /** SHA-256 of each token, in lower-case hex digits. */
  readonly tokenHashes: readonly string[];
  readonly isDisabled: boolean;
}

const secrets = (schema: z.ZodString, form: string) =>
  z.array(schema, { error: form }).max(MAX_SECRETS, { error: form }).default([]);

const HASH_FORM = `must be a list of at most ${MAX_SECRETS} SHA-256 hashes of 64 hex digits`;
const SECRET_FORM = `must be a list of at most ${MAX_SECRETS} texts of ${MIN_SECRET_LENGTH} characters or more`;
const NAMES_FORM = 'must be a list of names';

/** Creates a text field with its own syntax. */
function parsed<T>(parse: (text: string) => T, form: string): z.ZodType<T> {
  return z.string({ error: `must be ${form}` }).transform((text, context) => {
    try {
      return parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: `must be ${form}` });
      return z.NEVER;
    }
  });
}

/** Hashes of words that examples and people use as a token. */
const GUESSABLE: ReadonlySet<string> = new Set(
  ['', 'test', 'token', 'secret', 'password', 'admin', 'changeme', 'example', 'key', '123456', 'capture'].map((word) =>
    hash('sha256', word, 'hex'),
  ),
);

/** @param fieldNames names of the request fields, which `deny_fields` may contain */
function keySchema(fieldNames: ReadonlySet<string>) {
  return z
    .strictObject({
      id: z
        .string({ error: 'must be 1 to 63 characters of a-z 0-9 _ -' })
        .regex(/^[a-z0-9_-]{1,63}$/, { error: 'must be 1 to 63 characters of a-z 0-9 _ -' })
        .refine((id) => id !== DEFAULT_KEY, {
          error: `must not be ${DEFAULT_KEY}, which is the key of AUTH_TOKEN`,
        }),
      token_sha256: secrets(
        z
          .string({ error: HASH_FORM })
          .regex(/^[\da-f]{64}$/i, { error: HASH_FORM })
          .refine((text) => !GUESSABLE.has(text.toLowerCase()), {
            error: 'must not be the hash of a word that everyone guesses: use `capture-service keys add`',
          }),
        HASH_FORM,
      ),
      signing_secrets: secrets(
        z.string({ error: SECRET_FORM }).min(MIN_SECRET_LENGTH, { error: SECRET_FORM }),
        SECRET_FORM,
      ),
      scopes: z.array(z.enum(SCOPES, { error: `must be one of ${SCOPES.join(', ')}` })).default(['capture']),
      rate_limit: parsed(parseRate, RATE_FORM).optional(),
      concurrency: z
        .int({ error: 'must be a whole number from 1 to 256' })
        .min(1, { error: 'must be a whole number from 1 to 256' })
        .max(256, { error: 'must be a whole number from 1 to 256' })
        .optional(),
      quota: z
        .strictObject({
          captures: z
            .int({ error: 'must be a whole number from 1' })
            .min(1, { error: 'must be a whole number from 1' }),
          per: z.enum(['day', 'month'], { error: 'must be day or month' }),
        })
        .optional(),
      templates: z.array(z.string(), { error: NAMES_FORM }).optional(),
      templates_only: z.boolean({ error: 'must be true or false' }).default(false),
      deny_fields: z
        .array(
          z.string().refine((name) => fieldNames.has(name), { error: 'must be the name of a request field' }),
          { error: NAMES_FORM },
        )
        .default([]),
      egress_allow: z
        .array(parsed(parseOneRule, 'one entry of EGRESS_ALLOW, such as *.shop.example'), {
          error: `must be a list of the entries of ${RULE_FORM}`,
        })
        .optional(),
      expires_at: z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-01T00:00:00Z' }).optional(),
      disabled: z.boolean({ error: 'must be true or false' }).default(false),
    })
    .refine(({ token_sha256: tokens, signing_secrets: links }) => tokens.length + links.length > 0, {
      error: 'needs token_sha256 or signing_secrets',
    });
}

function parseOneRule(text: string) {
  const [rule, ...more] = parseEgressRules(text);
  if (rule === undefined || more.length > 0) throw new Error('not one rule');
  return rule;
}

/** @throws Error if it is too large, or of the file system */
export function readKeyFile(path: string): Buffer {
  const bytes = readAtMost(path, MAX_FILE_BYTES);
  if (bytes === undefined) throw new Error(`the file has more than ${MAX_FILE_BYTES} bytes`);
  return bytes;
}

/**
 * Parses the bytes of a key file.
 * @throws Error whose message names the key, the field and what is accepted, without tokens and secrets
 */
export function parseKeyFile(bytes: Buffer, fieldNames: ReadonlySet<string>): readonly FileKey[] {
  const schema = z.strictObject(
    {
      keys: z
        .array(keySchema(fieldNames), { error: 'must be a list of keys' })
        .max(MAX_KEYS, { error: `must have at most ${MAX_KEYS} keys` }),
    },
    { error: 'must be a JSON object with the list keys' },
  );
  const content = parseJson(bytes.toString('utf8'));
  // the message of the parser quotes the file, which contains secrets
  if (content === undefined) throw new Error('the file is not valid JSON');
  const file = schema.safeParse(content);
  if (!file.success) throw new Error(describe(file.error.issues));
  const keys = file.data.keys.map(toKey);
  refuseDuplicates(keys);
  return keys;
}

/** Describes the first problems. */
function describe(issues: readonly z.core.$ZodIssue[]): string {
  const [first, ...more] = issues;
  if (first === undefined) return 'the file is invalid';
  const path = fieldPath(first.path);
  const problem = first.code === 'unrecognized_keys' ? `has unknown fields: ${first.keys.join(', ')}` : first.message;
  return `${path === '' ? 'the file' : path}: ${problem}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
}

function toKey(given: z.output<ReturnType<typeof keySchema>>): FileKey {
  return {
    tokenHashes: given.token_sha256.map((hash) => hash.toLowerCase()),
    isDisabled: given.disabled,
    key: {
      id: given.id,
      scopes: new Set(given.scopes),
      signingSecrets: given.signing_secrets,
      rate: given.rate_limit,
      concurrency: given.concurrency,
      quota: given.quota,
      templates: given.templates,
      templatesOnly: given.templates_only,
      deniedFields: new Set(given.deny_fields),
      egressAllow: given.egress_allow,
      expiresAtMs: given.expires_at === undefined ? undefined : Date.parse(given.expires_at),
    },
  };
}

function refuseDuplicates(keys: readonly FileKey[]): void {
  const positions = new Map<string, number>();
  for (const [index, { key, tokenHashes }] of keys.entries()) {
    for (const [field, value] of [['id', key.id], ...tokenHashes.map((hash) => ['token_sha256', hash])]) {
      const entry = `${field} ${value}`;
      const other = positions.get(entry);
      if (other !== undefined) {
        throw new Error(`keys[${index}].${field}: is the same as in keys[${other}]`);
      }
      positions.set(entry, index);
    }
  }
}
