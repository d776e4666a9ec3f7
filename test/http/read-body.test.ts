import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';
import { appWith } from '../support/app.ts';

const MAX_BODY_BYTES = 10_485_760; // the default
const MAX_TURN_MS = 50;

describe('a body as large as allowed, which would take long to parse', () => {
  let server: HttpServer;
  let url: string;
  beforeAll(async () => {
    server = createHttpServer(appWith({ maxBodyBytes: MAX_BODY_BYTES }));
    const { port } = await server.listen('127.0.0.1', 0);
    url = `http://127.0.0.1:${port}/capture`;
  });
  afterAll(() => server.close());

  it.each([
    ['ten million lists in each other', '['.repeat(MAX_BODY_BYTES)],
    ['three million objects', `[${'{},'.repeat(3_000_000)}{}]`],
    ['two million members', `{${'"a":1,'.repeat(1_700_000)}"b":1}`],
  ])('holds the event loop for a small part of that: %s', { timeout: 60_000 }, async (_name, body) => {
    const parsingMs = usedFor(() => parse(body));
    const endWatch = watchTurns();

    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    });

    expect([answer.status, await answer.json()]).toMatchObject([400, { error_type: 'ValidationError' }]);
    const longestMs = endWatch();
    expect(longestMs).toBeLessThan(MAX_TURN_MS);
    expect(longestMs).toBeLessThan(parsingMs / 5);
  });
});

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // not every text that takes long is JSON
  }
}

/** Processor time of this thread, in milliseconds: how busy the machine is makes no difference. */
function usedFor(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Gives back a function that ends the watch and says how long the longest turn of the event loop was, as `usedFor`. */
function watchTurns(): () => number {
  let longest = 0;
  let last = process.threadCpuUsage();
  const onTurn = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.threadCpuUsage();
    next = setImmediate(onTurn);
  };
  let next = setImmediate(onTurn);
  return () => {
    clearImmediate(next);
    return longest;
  };
}
