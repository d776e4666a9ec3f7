import type { Express } from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { signedQuery } from '../../../../src/core/access/signature.ts';
import { appWith } from '../../../support/app.ts';
import vectorFile from '../../access/signature-vectors.json' with { type: 'json' };

describe('the signature vectors, over HTTP', () => {
  const expiresAt = 1_893_456_000;

  it.each(vectorFile.vectors)('accepts: $name', async ({ secret, query, params }) => {
    // an empty selector has a valid signature, but is no valid field
    const isValid = params.selector !== '';

    const answer = await request(signedApp(secret, expiresAt)).get(`/capture?${query}`);

    expect(answer.status).toBe(isValid ? 200 : 400);
  });

  it.each(vectorFile.vectors)('refuses with another key or a changed value: $name', async ({ secret, query }) => {
    const [otherKey, changed] = await Promise.all([
      request(signedApp(`${secret}x`, expiresAt)).get(`/capture?${query}`),
      request(signedApp(secret, expiresAt)).get(`/capture?${query.replace(/=([^&]*)&/, '=$1x&')}`),
    ]);

    for (const answer of [otherKey, changed]) {
      expect(answer).toMatchObject({ status: 403, body: { error_type: 'InvalidSignatureError' } });
    }
  });

  it.each(vectorFile.vectors.filter(({ params }) => params.expires !== undefined))(
    'refuses one second after expiry: $name',
    async ({ secret, query }) => {
      const answer = await request(signedApp(secret, expiresAt + 1)).get(`/capture?${query}`);

      expect(answer).toMatchObject({ status: 403, body: { error_type: 'SignatureExpiredError' } });
    },
  );
});

describe('a link that was verified', () => {
  const secret = 's3cret';
  const query = signedQuery(
    new Map([
      ['url', 'https://example.com/'],
      ['expires', '100'],
    ]),
    secret,
  );

  it('is refused after it has expired', async () => {
    let nowSeconds = 100;
    const app = appWith({ authToken: 'token', urlSigningSecret: secret, now: () => nowSeconds });

    const inTime = [await request(app).get(`/capture?${query}`), await request(app).get(`/capture?${query}`)];
    nowSeconds = 100.1;
    const late = await request(app).get(`/capture?${query}`);

    expect(inTime.map(({ status }) => status)).toEqual([200, 200]);
    expect(late).toMatchObject({ status: 403, body: { error_type: 'SignatureExpiredError' } });
  });

  it('does not make another link valid', async () => {
    const app = signedApp(secret, 0);
    await request(app).get(`/capture?${query}`);

    const changed = await request(app).get(`/capture?${query.replace('expires=100', 'expires=101')}`);

    expect(changed).toMatchObject({ status: 403, body: { error_type: 'InvalidSignatureError' } });
  });

  it('does not allow a field that links may not contain', async () => {
    const fields = new Map([
      ['url', 'https://example.com/'],
      ['custom_js', 'a()'],
    ]);
    const target = `/capture?${signedQuery(fields, secret)}`;
    const app = signedApp(secret, 0);

    const withToken = await request(app).get(target).set('Authorization', 'Bearer token');
    const linked = await request(app).get(target);

    expect(withToken.status).toBe(200);
    expect(linked).toMatchObject({ status: 400, body: { error_type: 'ValidationError' } });
  });
});

function signedApp(urlSigningSecret: string, nowSeconds: number): Express {
  return appWith({ authToken: 'token', urlSigningSecret, now: () => nowSeconds });
}
