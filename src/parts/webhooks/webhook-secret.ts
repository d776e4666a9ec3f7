const PREFIX = 'whsec_';
const [MIN_BYTES, MAX_BYTES] = [24, 64];

/** A secret of Standard Webhooks. Never shown. */
export interface WebhookSecret {
  readonly key: Buffer;
}

/** Parses a secret. Undefined unless it is `whsec_` and base64 of 24 to 64 bytes. */
export function parseWebhookSecret(text: string): WebhookSecret | undefined {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const key = Buffer.from(encoded, 'base64');
  // Node decodes invalid base64 up to the first error: a truncated key would make wrong signatures.
  const isCanonical = key.toString('base64').replaceAll('=', '') === encoded.replaceAll('=', '');
  return isCanonical && key.length >= MIN_BYTES && key.length <= MAX_BYTES ? { key } : undefined;
}
