import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifyWebhook, WebhookError, type WebhookHeaders } from '../../../src/programs/client/verify-webhook.ts';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const BODY = JSON.stringify({
  id: 'a',
  state: 'done',
  attempts: 1,
  created_at: '',
  label: 'März',
  url: 'https://a.test/',
});

function headersOf(body: string, { key = KEY, ageSeconds = 0 } = {}): Record<string, string> {
  const sent = `${Math.floor(Date.now() / 1_000) - ageSeconds}`;
  const signature = createHmac('sha256', key).update(`msg_1.${sent}.${body}`).digest('base64');
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': sent, 'webhook-signature': `v1,AAAA v1,${signature}` };
}

describe('verifyWebhook', () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[string, WebhookHeaders, string | Uint8Array, string]>([
    ['a text', headersOf(BODY), BODY, SECRET],
    ['bytes', headersOf(BODY), Buffer.from(BODY), SECRET],
    ['Headers', new Headers(headersOf(BODY)), BODY, SECRET],
    [
      'names in capitals',
      Object.fromEntries(Object.entries(headersOf(BODY)).map(([n, v]) => [n.toUpperCase(), [v]])),
      BODY,
      SECRET,
    ],
    ['a secret that is being replaced', headersOf(BODY), BODY, `${OTHER} ${SECRET}`],
  ])('returns the job: %s', async (_case, headers, body, secret) => {
    expect(await verifyWebhook(body, headers, { secret })).toMatchObject({
      state: 'done',
      label: 'März',
      url: 'https://a.test/',
    });
  });

  it.each<[string, () => WebhookHeaders, string, string]>([
    ['another body', () => headersOf(BODY), `${BODY} `, 'The signature'],
    ['another key', () => headersOf(BODY, { key: Buffer.alloc(32) }), BODY, 'The signature'],
    ['a mark in front of the signed bytes', () => headersOf(BODY), `\uFEFF${BODY}`, 'The signature'],
    ['a signed text that is no job', () => headersOf('[]'), '[]', 'is no job'],
    ['no headers', () => ({}), BODY, 'The headers'],
    ['a time that is no number', () => ({ ...headersOf(BODY), 'webhook-timestamp': 'x' }), BODY, 'The headers'],
    ['an old message', () => headersOf(BODY, { ageSeconds: 301 }), BODY, 'too old'],
    ['a message of the future', () => headersOf(BODY, { ageSeconds: -301 }), BODY, 'too old'],
    [
      'a signature that is no base64',
      () => ({ ...headersOf(BODY), 'webhook-signature': 'v1,%' }),
      BODY,
      'The signature',
    ],
  ])('refuses %s', async (_case, headers, body, message) => {
    // The limit is exact, so no time may pass between the signing and the check.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const verified = verifyWebhook(body, headers(), { secret: SECRET });
    await expect(verified).rejects.toThrow(WebhookError);
    await expect(verified).rejects.toThrow(message);
  });

  it('refuses every message if its limit is no number', async () => {
    const limits = { secret: SECRET, toleranceSeconds: Number.NaN };
    await expect(verifyWebhook(BODY, headersOf(BODY), limits)).rejects.toThrow('too old');
  });

  it.each(['', 'secret', 'whsec_', 'whsec_AAAA', 'whsec_%%%'])('refuses the secret %j', async (secret) => {
    await expect(verifyWebhook(BODY, headersOf(BODY), { secret })).rejects.toThrow(TypeError);
  });
});
