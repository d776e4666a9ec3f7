import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type Health, readHealth, type RunningService, startService } from '../../support/service.ts';

const CAPTURE_TIMEOUT_MS = 5_000;
/** Longer than any test waits: a slot that becomes free was released early. */
const LONG_DELAY_MS = 30_000;

describe('a service with one page and one queue slot', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite(),
      startService({ POOL_SIZE: '1', MAX_QUEUE: '1', CAPTURE_TIMEOUT_MS: `${CAPTURE_TIMEOUT_MS}` }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  beforeEach(() => poolShows(service, { busy: 0, waiting: 0 }));

  it('refuses one more request immediately, and is not ready meanwhile', async () => {
    const first = captureOf('/slow?ms=2000');
    await poolShows(service, { busy: 1 });
    const second = captureOf('/plain');
    await poolShows(service, { waiting: 1 });

    const answered: string[] = [];
    void first.then(() => answered.push('first'));
    const third = await captureOf('/plain');
    answered.push('third');
    const ready = await fetch(`${service.url}/health/ready`); // the other two clients keep their slots

    expect(readError(third)).toEqual({
      status: 503,
      error_type: 'OverloadedError',
      message: 'Too many captures are waiting',
      retry_after: 1,
    });
    expect(answered).toEqual(['third']);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not_ready', reason: 'queue_full' }]);
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it('applies one deadline to the whole request, queue included', async () => {
    const endedAt: number[] = [];
    const endOf = async (): Promise<CaptureAnswer> => {
      const answer = await captureOf('/never');
      endedAt.push(performance.now());
      return answer;
    };

    const answers = await Promise.all([endOf(), endOf()]);

    const [first = 0, second = 0] = endedAt;
    expect(second - first).toBeLessThan(CAPTURE_TIMEOUT_MS); // a deadline that starts after the queue would end later
    for (const answer of answers) {
      expect(readError(answer)).toEqual({
        status: 500,
        error_type: 'TimeoutError',
        message: `The capture took longer than ${CAPTURE_TIMEOUT_MS} ms`,
      });
    }
  });

  it('ends a capture at its deadline, although the page waits for more of a stream', async () => {
    const ticking = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' });
      const ticks = setInterval(() => response.write('data: x\n\n'), 100);
      response.on('close', () => clearInterval(ticks));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void ticking.close());
    await once(ticking, 'listening');
    const { port } = Object(ticking.address());
    const html_content = `<img src="${site.url('/slow?ms=3000')}"><p>0</p><script>new EventSource('http://127.0.0.1:${port}/').onmessage = () => { document.querySelector('p').textContent += 'x' }</script>`;
    const startedAt = performance.now();

    const answer = await capture(service.url, { html_content });

    expect(readError(answer)).toMatchObject({ status: 500, error_type: 'TimeoutError' });
    expect(performance.now() - startedAt).toBeLessThan(CAPTURE_TIMEOUT_MS + 1_000);
  });

  it('releases the queue slot when the client disconnects', async () => {
    const first = captureOf('/slow?ms=600');
    await poolShows(service, { busy: 1 });
    const client = new AbortController();
    const second = captureOf('/plain', client.signal);
    second.catch(() => undefined); // it is expected to fail
    await poolShows(service, { waiting: 1 });

    client.abort();
    await poolShows(service, { waiting: 0 });
    const third = captureOf('/plain');

    expect([(await first).status, (await third).status]).toEqual([200, 200]);
    await expect(second).rejects.toThrow(/abort/);
  });

  function captureOf(path: string, signal?: AbortSignal): Promise<CaptureAnswer> {
    return capture(service.url, { url: site.url(path) }, signal === undefined ? {} : { signal });
  }
});

describe('a service with one page and a long timeout', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), startService({ POOL_SIZE: '1' })]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  it.each(['/never', '/drip', '/slow-fetch', '/endless', '/endless-at-load', '/endless-after-load'])(
    'releases the slot when the client of %s disconnects',
    async (path) => {
      const client = new AbortController();
      const requestsBefore = site.requests.length;
      const fields = { url: site.url(path), delay_capture: LONG_DELAY_MS };
      const answering = capture(service.url, fields, { signal: client.signal });
      answering.catch(() => undefined); // it is expected to fail
      await eventually(() => expect(site.requests.length).toBeGreaterThan(requestsBefore));
      await poolShows(service, { busy: 1 });

      client.abort();

      await poolShows(service, { busy: 0 });
      await expect(answering).rejects.toThrow(/abort/);
    },
  );
});

async function poolShows(service: RunningService, expected: Partial<Health['pool']>): Promise<void> {
  await eventually(async () => expect((await readHealth(service.url)).pool).toMatchObject(expected));
}
