import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../support/http.ts';
import { send, sendHtml } from '../support/pages/exchange.ts';
import { readPicture } from '../support/pixels.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';

const MOVING = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="red">
  <animate attributeName="fill" from="red" to="lime" dur="60s" fill="freeze"/></rect></svg>`;

describe('pages that once failed', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/odd/with': ({ response, url }) => {
            const policy = url.searchParams.get('policy');
            if (policy !== null) response.setHeader('Content-Security-Policy', policy);
            sendHtml(response, url.searchParams.get('body') ?? '');
          },
          '/odd/moving.svg': ({ response }) => send(response, { type: 'image/svg+xml', body: MOVING }),
          '/odd/never': () => undefined,
        },
      }),
      sharedService(),
    ]);
  });
  afterAll(() => site.close());

  const captureOf = (body: string, fields: object = {}, policy?: string): Promise<CaptureAnswer> => {
    const query = new URLSearchParams({
      body: `<!doctype html>${body}`,
      ...(policy !== undefined && { policy }),
    });
    return capture(service.url, {
      url: site.url(`/odd/with?${query}`),
      window_width: 200,
      window_height: 200,
      ...fields,
    });
  };

  // The `load` event of such a page never comes: 500 TimeoutError after 30 s.
  it('is captured after window.stop(), as a browser shows it', async () => {
    const body = `<h1>Shown</h1><img src="/odd/never"><script>setTimeout(() => window.stop(), 100)</script>`;

    const answer = await captureOf(body, { format: 'html', wait_for_timeout: 8_000 });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-capture-warnings')).toBeNull();
    expect(answer.body.toString()).toContain('<h1>Shown</h1>');
  });

  // The parser for pictures refused every text there: 500 InternalServerError.
  it.each([
    ['allow a policy of ours', `require-trusted-types-for 'script'`],
    ['allow none', `require-trusted-types-for 'script'; trusted-types 'none'`],
    ['allow no pictures from memory', `img-src 'self'`],
  ])('has its animated pictures although the rules of the page %s', async (_, policy) => {
    const { status, body } = await captureOf('<img src="/odd/moving.svg">', {}, policy);

    expect(status).toBe(200);
    expect((await readPicture(body)).pixel(50, 50)).not.toEqual([255, 255, 255, 255]);
  });

  it('may have fields named as properties that the capture reads', async () => {
    const body = '<form><input name="shadowRoot"><input name="style"></form><p>Shown</p>';

    expect((await captureOf(body)).status).toBe(200);
    expect((await captureOf(body, { format: 'pdf' })).status).toBe(200);
  });
});
