import express from 'express';
import pino from 'pino';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../../../src/core/capture/request/parse-options.ts';
import type { SendBody } from '../../../../src/core/http/answers/send-body.ts';
import { createRequestContext } from '../../../../src/core/http/request/request-context.ts';
import { type HandlerOptions, NO_PORTS } from '../../../../src/core/http/routes/route.ts';
import { createSendCapture } from '../../../../src/core/http/routes/send-capture.ts';
import { createMemoryBudget } from '../../../../src/core/ground/memory-budget.ts';
import { fake } from '../../../support/fake.ts';
import { resultWith } from '../../../support/stored-capture.ts';

const CACHING = { isHit: true, etag: '"tag"', capturedAtMs: 0, ttlSeconds: 60 };
const options = parseOptions(
  { url: 'https://example.com/', response_type: 'json', cache_ttl: 60 },
  { maxWaitMs: 1_000 },
);

/** An app that sends one answer to all requests. Keeps the bytes that were sent. */
function sendingApp(caching: typeof CACHING | undefined, file: Buffer, limitBytes = 1e6) {
  const sent: { readonly body: Buffer; readonly isKept: boolean }[] = [];
  const sendBody: SendBody = (response, body, { isKept }) => {
    sent.push({ body, isKept });
    response.end(body);
  };
  const send = createSendCapture(
    fake<HandlerOptions>({
      now: () => 0,
      ports: NO_PORTS,
      budgets: { bodies: createMemoryBudget(0), answers: createMemoryBudget(limitBytes) },
      sendBody,
    }),
  );
  const answer = resultWith({ file, ...(caching && { caching }), facts: { sha256: 'a' } });
  const app = express().use(createRequestContext(pino({ level: 'silent' })));
  app.get('/', (given, response) => send(given, response, { options, answer, stored: undefined }));
  const get = async () => await request(app).get('/').expect(200);
  return { sent, get };
}

describe('a JSON answer', () => {
  // A thousand clients that share a capture of 10 MB would need 13 GB before one of these bodies is counted.
  it('is encoded once for clients that get the same cached capture, at the same time and later', async () => {
    const { sent, get } = sendingApp(CACHING, Buffer.alloc(10_000));

    await Promise.all([get(), get(), get()]);
    await get();

    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(sent.map(({ isKept }) => isKept)).toEqual([true, true, true, true]);
  });

  it('is not kept if it is larger than an eighth of the memory for answers, or not from the cache', async () => {
    const large = sendingApp(CACHING, Buffer.alloc(100_000));
    const uncached = sendingApp(undefined, Buffer.alloc(10));

    for (const { get } of [large, uncached]) await Promise.all([get(), get()]).then(get);

    expect([...large.sent, ...uncached.sent].map(({ isKept }) => isKept)).toEqual(Array(6).fill(false));
    expect(new Set(uncached.sent.map(({ body }) => body)).size).toBe(3);
  });
});
