import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError, UnexpectedAnswerError } from '../../../src/programs/client/capture-error.ts';
import { createCaptureClient } from '../../../src/programs/client/client.ts';
import { StorageError } from '../../../src/programs/client/service-errors.ts';

const ID = '01a20574-15ec-7008-95bc-8bf8e2977217';
const QUEUED = { id: ID, state: 'queued', created_at: '2026-11-22T00:00:00Z', attempts: 0 };
const AWAY = { status: 'error', message: 'The jobs can not be reached', error_type: 'StorageError' };

type Answer = () => Response;
const noConnection: Answer = () => {
  throw new TypeError('fetch failed');
};
const answer =
  (status: number, body: object): Answer =>
  () =>
    new Response(JSON.stringify(body), { status });

/** Returns the answers one after the other, and repeats the last one. */
function clientOf(...answers: Answer[]) {
  const requests: unknown[] = [];
  const send: typeof fetch = async (input) => {
    requests.push(input);
    const give = answers[Math.min(requests.length, answers.length) - 1];
    if (give === undefined) throw new Error('no answer');
    return give();
  };
  return { requests, client: createCaptureClient({ service: 'http://service', retries: 0, fetch: send }) };
}

describe('waiting for a job', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => vi.useRealTimers());

  it('continues while the service or its store restarts', async () => {
    const { client, requests } = clientOf(
      answer(200, QUEUED),
      noConnection,
      answer(502, AWAY),
      answer(504, {}),
      answer(200, { ...QUEUED, state: 'done' }),
      () => new Response('picture', { headers: { 'content-type': 'image/png' } }),
    );

    const [{ bytes }] = await Promise.all([client.wait(ID), vi.advanceTimersByTimeAsync(10_000)]);

    expect(new TextDecoder().decode(bytes)).toBe('picture');
    expect(requests).toHaveLength(6);
  });

  it.each<[string, Answer, new (...args: never[]) => Error]>([
    ['no connection', noConnection, ConnectionError],
    ['an unavailable store', answer(502, AWAY), StorageError],
  ])('gives up after two minutes of %s', async (_what, outage, kind) => {
    const { client } = clientOf(answer(200, QUEUED), outage);

    const waiting = client.wait(ID).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(130_000);

    expect(await waiting).toBeInstanceOf(kind);
  });

  it('fails at once for a permanent error', async () => {
    const { client, requests } = clientOf(answer(500, {}));

    await expect(client.wait(ID)).rejects.toBeInstanceOf(UnexpectedAnswerError);
    expect(requests).toHaveLength(1);
  });
});
