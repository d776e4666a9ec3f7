import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readError } from '../../support/errors.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { createWebSocketSite, sendFrames, type WebSocketSite } from '../../support/web-socket-site.ts';

const MAX_RESULT_BYTES = 4_500_000;
/** A busy machine takes long to read a text of 70,000,000 characters, or frames of 256 MB. */
const PATIENCE_MS = 90_000;
const SEVENTY_MILLION = "'n'.repeat(70_000_000)";
const FILL = (text: string): string =>
  `onload = () => document.body.append(Object.assign(document.createElement('script'), { type: 'text/plain', textContent: ${text} }));`;
const NOISE = `const canvas = Object.assign(document.createElement('canvas'), { width: 1300, height: 1300 });
document.body.append(canvas);
const noise = canvas.getContext('2d').createImageData(1300, 1300);
let seed = 1;
new Uint32Array(noise.data.buffer).forEach((_, index, all) => { seed = Math.imul(seed, 1664525) + 1013904223 | 0; all[index] = seed | 0xff000000; });
canvas.getContext('2d').putImageData(noise, 0, 0);`;

describe('a page that makes the browser send oversized protocol messages', () => {
  let site: WebSocketSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createWebSocketSite({
        frame: sendFrames(12_000_000),
        frames: sendFrames(1_000_000, 20),
        address: `fetch('data:text/plain,' + ${SEVENTY_MILLION});`,
        body: `fetch('/', { method: 'POST', body: ${SEVENTY_MILLION} });`,
        thrown: '',
        long: FILL("'<é😀'.repeat(400_000)"),
        longer: FILL("'n'.repeat(6_000_000)"),
        noise: NOISE,
      }),
      startService({
        MAX_RESULT_BYTES: `${MAX_RESULT_BYTES}`,
        MAX_WAIT_MS: `${PATIENCE_MS}`,
        CAPTURE_TIMEOUT_MS: `${PATIENCE_MS + 10_000}`,
      }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site[Symbol.asyncDispose]()]));

  // One such frame of 89,600,000 characters ended the process. Names and headers: test/hostile/messages.test.ts.
  it.each(['frame', 'frames', 'address'])('loses only its own capture by its %s', async (path) => {
    const [hostile, other] = await Promise.all([
      capture(service.url, { url: site.url(path), delay_capture: 30_000, wait_for_timeout: PATIENCE_MS }),
      capture(service.url, { html_content: 'text' }),
    ]);

    expect(readError(hostile)).toMatchObject({ status: 500, error_type: 'PageCrashedError' });
    expect(other.status).toBe(200);
  });

  it('is captured if it sends a large request body, because bodies are not reported', async () => {
    const answer = await capture(service.url, { url: site.url('body'), delay_capture: 2_000 });

    expect(answer.status).toBe(200);
  });

  it.each([
    ['returns a long text', "'n'.repeat(30_000_000)", 200],
    ['throws a long text', "throw new Error('n'.repeat(30_000_000))", 400],
  ])('is captured, or refused with a short error, if a script of the client %s', async (_what, script, status) => {
    const answer = await capture(service.url, {
      url: site.url('thrown'),
      custom_js: script,
      wait_for_timeout: PATIENCE_MS,
    });

    expect(answer.status).toBe(status);
    expect(status === 200 ? 0 : answer.body.length).toBeLessThan(1_000);
  });

  it('returns its whole markup, in as many chunks as needed', async () => {
    const { status, body } = await capture(service.url, { url: site.url('long'), format: 'html' });

    expect(status).toBe(200);
    // Compared here: printing a difference between texts of megabytes takes minutes.
    expect(body.toString().includes(`>${'<é😀'.repeat(400_000)}</script>`)).toBe(true);
  });

  it.each(['png', 'pdf', 'html'])('is refused if the result exceeds MAX_RESULT_BYTES: %s', async (format) => {
    const url = site.url(format === 'html' ? 'longer' : 'noise');

    const answer = await capture(service.url, { url, format, window_width: 1300, window_height: 1300 });

    expect(readError(answer)).toEqual({
      status: 400,
      error_type: 'ResultTooLargeError',
      message: 'The result would be larger than allowed',
      error_details: `The result would be larger than the allowed ${MAX_RESULT_BYTES} bytes`,
    });
  });
});
