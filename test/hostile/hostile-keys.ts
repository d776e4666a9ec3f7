import { createHash } from 'node:crypto';

/** Keys of the service, with their limits. */
const KEYS = {
  shop: {}, // has jobs and files with a secret text
  blog: {},
  denied: { deny_fields: ['custom_js', 'selector', 'store_path'] },
  narrow: { egress_allow: ['127.0.0.2'] },
  cards: { templates: ['card'], templates_only: true },
  leaver: {}, // is removed by a case
  off: { disabled: true },
  old: { expires_at: '2020-01-01T00:00:00Z' },
} as const;

/** Id of a key. `default` is the key of AUTH_TOKEN. */
export type KeyId = keyof typeof KEYS | 'default';

const IDS: readonly string[] = ['default', ...Object.keys(KEYS)];

/** Text that only the key `shop` may read. */
export const SHOP_TEXT = 'canary-in-a-page-of-the-shop';
/** Text of files that no page of another template may read, and no page at all if they are Liquid. */
export const FILE_TEXT = 'canary-in-a-file-of-a-template';

/** Texts that must not be in the answers of cases, nor in the log. */
export const SECRETS: readonly string[] = [
  SHOP_TEXT,
  FILE_TEXT,
  ...IDS.flatMap((id) => [tokenOf(id), secretOf(id), hashOf(id)]),
];

export function tokenOf(id: string): string {
  return `canary-token-of-${id}`;
}

/** Returns the secret that signs the links of a key. */
export function secretOf(id: string): string {
  return `canary-secret-that-signs-for-${id}`.padEnd(40, '-');
}

/** Returns the SHA-256 of the token. */
export function hashOf(id: string): string {
  return createHash('sha256').update(tokenOf(id)).digest('hex');
}

/** Returns the content of KEYS_FILE. */
export function keyFile(): { readonly keys: readonly { readonly id: string }[] } {
  const keys = Object.entries(KEYS).map(([id, rules]) => ({
    id,
    token_sha256: [hashOf(id)],
    signing_secrets: [secretOf(id)],
    scopes: ['capture', 'sign', 'jobs', 'mcp', 'usage'],
    ...rules,
  }));
  return { keys };
}
