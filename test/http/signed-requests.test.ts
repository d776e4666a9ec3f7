import type { Express } from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { appWith } from '../support/app.ts';
import vectorFile from '../auth/signature-vectors.json' with { type: 'json' };

describe('the signature vectors, over HTTP', () => {
  const expiresAt = 1_893_456_000;

  it.each(vectorFile.vectors)('lets in: $name', async ({ secret, query, params }) => {
    const isWhole = params.selector !== ''; // an empty selector is signed well, and no valid field

    const answer = await request(signedApp(secret, expiresAt)).get(`/capture?${query}`);

    expect(answer.status).toBe(isWhole ? 200 : 400);
  });

  it.each(vectorFile.vectors)(
    'keeps out with another key or a changed value: $name',
    async ({ secret, query }) => {
      const [otherKey, changed] = await Promise.all([
        request(signedApp(`${secret}x`, expiresAt)).get(`/capture?${query}`),
        request(signedApp(secret, expiresAt)).get(`/capture?${query.replace(/=([^&]*)&/, '=$1x&')}`),
      ]);

      for (const answer of [otherKey, changed]) {
        expect(answer).toMatchObject({ status: 403, body: { error_type: 'InvalidSignatureError' } });
      }
    },
  );

  it.each(vectorFile.vectors.filter(({ params }) => params.expires !== undefined))(
    'keeps out a second later: $name',
    async ({ secret, query }) => {
      const answer = await request(signedApp(secret, expiresAt + 1)).get(`/capture?${query}`);

      expect(answer).toMatchObject({ status: 403, body: { error_type: 'SignatureExpiredError' } });
    },
  );
});

function signedApp(urlSigningSecret: string, nowSeconds: number): Express {
  return appWith({ authToken: 'token', urlSigningSecret, now: () => nowSeconds });
}
