import { describe, expect, it } from 'vitest';
import { parseWebhookSecret } from '../../../src/parts/webhooks/webhook-secret.ts';

const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('parseWebhookSecret', () => {
  it.each([24, 25, 26, 64])('accepts %d bytes', (bytes) => {
    expect(parseWebhookSecret(secretOf(bytes))).toEqual({ key: Buffer.alloc(bytes, 7) });
  });

  it.each([
    ['a short key', secretOf(23)],
    ['a long key', secretOf(65)],
    ['a key without its prefix', secretOf(32).replace('whsec_', '')],
    ['a prefix without a key', 'whsec_'],
    ['invalid base64 of any length', `${secretOf(32)}!`],
    ['a key with a space', secretOf(32).replace('B', ' ')],
  ])('refuses %s', (_, text) => {
    expect(parseWebhookSecret(text)).toBeUndefined();
  });
});
