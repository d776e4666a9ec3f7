import { describe, expect, it } from 'vitest';
import { parseWebhookSecret } from '../../src/webhooks/webhook-secret.ts';

const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('parseWebhookSecret', () => {
  it.each([24, 25, 26, 64])('accepts %d bytes', (bytes) => {
    expect(parseWebhookSecret(secretOf(bytes))).toEqual({ key: Buffer.alloc(bytes, 7) });
  });

  it.each([
    ['too short a key', secretOf(23)],
    ['too long a key', secretOf(65)],
    ['a key without its prefix', secretOf(32).replace('whsec_', '')],
    ['nothing behind the prefix', 'whsec_'],
    ['what is no base64, however long', `${secretOf(32)}!`],
    ['a key with a gap', secretOf(32).replace('B', ' ')],
  ])('refuses %s', (_, text) => {
    expect(parseWebhookSecret(text)).toBeUndefined();
  });
});
