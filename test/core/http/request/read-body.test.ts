import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHttpServer, type HttpServer } from '../../../../src/core/http/server.ts';
import { appWith } from '../../../support/app.ts';

const MAX_BODY_BYTES = 10_485_760; // the default
const LONG = 100_000;

// Parsing one of these blocks the event loop for seconds.
describe('a body of the maximum size that is slow to parse', () => {
  let server: HttpServer;
  let url: string;
  beforeAll(async () => {
    server = createHttpServer(appWith({ maxBodyBytes: MAX_BODY_BYTES }));
    const { port } = await server.listen('127.0.0.1', 0);
    url = `http://127.0.0.1:${port}/capture`;
  });
  afterAll(() => server.close());
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['ten million nested lists', '['.repeat(MAX_BODY_BYTES)],
    ['three million objects', `[${'{},'.repeat(3_000_000)}{}]`],
    ['two million members', `{${'"a":1,'.repeat(1_700_000)}"b":1}`],
  ])('is refused before it is parsed: %s', { timeout: 60_000 }, async (_name, body) => {
    const parsing = vi.spyOn(JSON, 'parse');

    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    });

    expect([answer.status, await answer.json()]).toMatchObject([400, { error_type: 'ValidationError' }]);
    expect(Math.max(0, ...parsing.mock.calls.map(([text]) => text.length))).toBeLessThan(LONG);
  });
});
