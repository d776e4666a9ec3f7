import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type Routes, send, sendHtml } from '../../support/pages/exchange.ts';
import { type RunningService, startService } from '../../support/service.ts';

/**
 * A worker that fetches for ever, on all six connections that a browser opens to a site, and a script that never ends.
 * The script waits for the worker, which cannot start beside it.
 */
const STUCK = `<script>
  const works = new Promise((resolve) => { new Worker('/endless.js').onmessage = resolve; });
  addEventListener('load', () => works.then(() => fetch('/loops')).then(() => { for (;;); }));
</script>`;
const ENDLESS = `postMessage('works');
const next = () => fetch('/fetched', { cache: 'no-store' }).then((answer) => answer.text()).then(next, next);
for (let connection = 0; connection < 6; connection++) next();
const socket = () => { new WebSocket(location.origin.replace('http', 'ws') + '/fetched').onerror = socket; }; socket();`;

describe('a page whose script never ends, and its worker', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    const moreRoutes: Routes = {
      '/stuck': ({ response }) => sendHtml(response, STUCK),
      '/endless.js': ({ response }) => send(response, { type: 'text/javascript', body: ENDLESS }),
    };
    [site, service] = await Promise.all([
      createFixtureSite({ moreRoutes }),
      startService({ POOL_SIZE: '2', RATE_LIMIT_ENABLED: 'false' }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const countOf = (path: string): number => site.requests.filter((request) => request.path === path).length;

  it('send nothing through the gate of the next capture', async () => {
    const ends = new AbortController();
    const longer = capture(
      service.url,
      { url: site.url('/plain'), delay_capture: 12_000 },
      { signal: ends.signal },
    ).catch(() => 0);
    const stuck = new AbortController();
    const first = capture(service.url, { url: site.url('/stuck') }, { signal: stuck.signal }).catch(() => 0);
    await expect.poll(() => countOf('/loops'), { timeout: 8_000 }).toBeGreaterThan(0);
    const atLoop = countOf('/fetched');
    await expect.poll(() => countOf('/fetched'), { timeout: 8_000 }).toBeGreaterThan(atLoop + 300);
    stuck.abort();
    await first;

    const next = capture(service.url, { url: site.url('/plain?next'), delay_capture: 1_000 });
    await expect.poll(() => countOf('/plain?next'), { timeout: 20_000 }).toBe(1);
    const atStart = countOf('/fetched');
    expect((await next).status).toBe(200);

    expect(countOf('/fetched') - atStart).toBe(0);
    ends.abort();
    await longer;
  });
});
