const PREFIX = 'whsec_';
const [MIN_BYTES, MAX_BYTES] = [24, 64];

/** A key of Standard Webhooks. Never shown. */
export interface WebhookSecret {
  readonly key: Buffer;
}

/** Undefined for what is not `whsec_` and base64 of 24 to 64 bytes. */
export function parseWebhookSecret(text: string): WebhookSecret | undefined {
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const key = Buffer.from(encoded, 'base64');
  // Node reads what is no base64 as far as it goes: a key cut short would sign what nobody can check.
  const isWhole = key.toString('base64').replaceAll('=', '') === encoded.replaceAll('=', '');
  return isWhole && key.length >= MIN_BYTES && key.length <= MAX_BYTES ? { key } : undefined;
}
