import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readError } from '../support/errors.ts';
import { capture } from '../support/http.ts';
import { readHealth, type RunningService, startService } from '../support/service.ts';
import { createWebSocketSite, sendFrames, type WebSocketSite } from '../support/web-socket-site.ts';

const PLACES_OF_A_CAPTURE = 4;

/** These tests take minutes of processor time and gigabytes: message sizes that used to crash the service. */
describe('a page that sends gigabytes', () => {
  let site: WebSocketSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createWebSocketSite({
        frame: sendFrames(89_600_000),
        name: "document.body.append(Object.assign(document.createElement('iframe'), { name: 'n'.repeat(140_000_000), src: '/' }));",
        header: "fetch('/', { headers: { a: 'n'.repeat(70_000_000) } }).catch(() => undefined);",
      }),
      startService({ POOL_SIZE: `${PLACES_OF_A_CAPTURE}`, CAPTURE_TIMEOUT_MS: '50000' }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site[Symbol.asyncDispose]()]));

  it.each([
    ['one frame of a WebSocket, 540 MB of JSON', 'frame'],
    ['the name of a frame, 140 million characters', 'name'],
    ['a request header, 70 million characters', 'header'],
  ])('ends neither the process nor another capture: %s', { timeout: 60_000 }, async (_what, path) => {
    const hostile = await capture(service.url, { url: site.url(path), delay_capture: 25_000 });
    const next = await capture(service.url, { html_content: 'text' });

    expect(readError(hostile)).toMatchObject({ status: 500, error_type: 'PageCrashedError' });
    expect(next.status).toBe(200);
    expect((await readHealth(service.url)).memory.rss_bytes).toBeLessThan(600_000_000);
  });
});
