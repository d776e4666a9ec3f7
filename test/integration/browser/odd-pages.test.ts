import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { send, sendHtml } from '../../support/pages/exchange.ts';
import { readPdf } from '../../support/pdf.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const MOVING = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="red">
  <animate attributeName="fill" from="red" to="lime" dur="60s" fill="freeze"/></rect></svg>`;

const pixelAt = async (answer: CaptureAnswer, x: number, y: number): Promise<readonly number[]> => {
  expect(answer.status).toBe(200);
  return (await readPicture(answer.body)).pixel(x, y).slice(0, 3);
};

async function tallPicture(): Promise<Buffer> {
  return await sharp({ create: { width: 300, height: 900, channels: 3, background: '#00a000' } })
    .png()
    .toBuffer();
}

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
          '/odd/large.svg': ({ response }) =>
            send(response, {
              type: 'image/svg+xml',
              body: MOVING.replace('<rect', `<!--${'<'.repeat(150_000)}--><rect`),
            }),
          '/odd/tall.png': async ({ response }) => send(response, { type: 'image/png', body: await tallPicture() }),
          '/odd/never': () => undefined,
          '/odd/late': ({ response }) =>
            void setTimeout(() => sendHtml(response, '<body style="background:#00a000">'), 1_500).unref(),
          '/odd/events': ({ response }) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
            setTimeout(() => response.write('data: 1\n\nevent: update\ndata: 1\n\n'), 1_500).unref();
          },
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

  // They were awaited until the time limit, or 5 s for a request that has no end.
  it.each([
    ['a form that the page forbids', `<form id=f action="/x"></form><script>f.submit()</script>`, "form-action 'none'"],
    [
      'a form that the page forbids, later',
      `<form id=f method=post action="//example.com"></form><script>setTimeout(() => f.submit(), 50)</script>`,
      "form-action 'self'",
    ],
    [
      'a form that the page forbids, again and again',
      `<form id=f action="/x"></form><script>setInterval(() => f.submit(), 1)</script>`,
      "form-action 'none'",
    ],
    ['a load that is stopped', '<script>stop()</script>', undefined],
    ['a navigation that is stopped', '<script>location.href = "/odd/never"; setTimeout(stop, 50)</script>', undefined],
  ])('captures at once a page with %s', async (_what, body, policy) => {
    const startedAt = performance.now();

    const answer = await captureOf(`<body style="background:#00a000">${body}`, { wait_for_timeout: 9_000 }, policy);

    expect(await pixelAt(answer, 100, 100)).toEqual([0, 160, 0]);
    expect(answer.headers.get('x-capture-warnings')).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(4_500);
  });

  it.each([
    ['whole page in its own size', { full_page: true }, [400, 900]],
    ['window as Chrome shows it', {}, [400, 300]],
  ])('captures the address of a picture, %s', async (_how, fields, size) => {
    const answer = await capture(service.url, {
      url: site.url('/odd/tall.png'),
      window_width: 400,
      window_height: 300,
      ...fields,
    });

    const picture = await readPicture(answer.body);
    expect([picture.width, picture.height]).toEqual(size);
    expect(picture.pixel(200, picture.height - 1).slice(0, 3)).toEqual([0, 160, 0]);
  });

  it('waits for a form whose answer is late', async () => {
    const answer = await captureOf(`<form id=f action="/odd/late"></form><script>f.submit()</script>`);

    expect(await pixelAt(answer, 100, 100)).toEqual([0, 160, 0]);
  });

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

  // The header lay where the fragment had scrolled the page.
  it.each([
    { full_page: true },
    { full_page: true, full_page_scroll: false },
    { clip: { x: 0, y: 0, width: 200, height: 200 } },
  ])('has its fixed header at the top with %j, although it has no scripts and opens at a fragment', async (fields) => {
    const header = '<div style="position:fixed;inset:0 0 auto;height:20px;background:red"></div>';
    const query = new URLSearchParams({
      body: `<!doctype html>${header}<p style="height:2000px">x<p id="end" style="height:500px">y`,
    });

    const answer = await capture(service.url, {
      url: site.url(`/odd/with?${query}#end`),
      window_width: 200,
      window_height: 200,
      ...fields,
    });

    expect(await pixelAt(answer, 100, 10)).toEqual([255, 0, 0]);
  });

  // A clip showed only the left 411 of 980 CSS pixels at full size.
  it('is zoomed out on a mobile device of fractional size, if it has no mobile viewport', async () => {
    const half =
      '<style>body{margin:0;background:linear-gradient(to right,lime 50%,red 50%)}</style><div style="height:900px"></div>';

    const answer = await captureOf(half, {
      device: 'Pixel 2',
      window_width: undefined,
      window_height: undefined,
    });

    const { width } = await readPicture(answer.body);
    expect(await pixelAt(answer, Math.round(width * 0.75), 300)).toEqual([255, 0, 0]);
  });

  // A message of the browser holds 2.6 MB, in which a letter with an accent takes six bytes.
  it('is judged by the whole of a long text', async () => {
    const script = `<script>document.write('<p>' + '\\u00e9'.repeat(100).concat('<p>').repeat(4_500) + 'the footer')</script>`;
    const fields = { format: 'html', window_height: 200 };

    const [required, refused] = await Promise.all([
      captureOf(script, { ...fields, fail_unless_text: 'the footer' }),
      captureOf(script, { ...fields, fail_if_text: 'the footer' }),
    ]);

    expect([required.status, refused.status]).toEqual([200, 400]);
  });

  // After its limit of a second, the search for a banner ended the script that was running.
  it('is not stopped by the search for cookie banners while its scripts are busy', async () => {
    const script = `<script>
      const burn = (left) => {
        for (const end = performance.now() + 1_200; performance.now() < end; );
        if (left > 0) setTimeout(burn, 1, left - 1); else document.body.id = 'done';
      };
      addEventListener('load', () => setTimeout(burn, 1, 5));
    </script>`;

    const answer = await captureOf(script, {
      format: 'html',
      block_cookie_banners: true,
      wait_for_selector: '#done',
      wait_for_timeout: 15_000,
    });

    expect(answer.status).toBe(200);
  });

  // Nothing reported their end: 5 s and the warning `requests_pending`.
  it('is not waiting for the requests of a worker that it has ended', async () => {
    const script = `<script>
      const source = "fetch('" + location.origin + "/odd/never'); postMessage(1)";
      const worker = new Worker(URL.createObjectURL(new Blob([source])));
      worker.onmessage = () => setTimeout(() => worker.terminate(), 300);
    </script>`;

    const answer = await captureOf(script);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-capture-warnings')).toBeNull();
  });

  // All rules were in one text, so an unclosed comment swallowed the following rules.
  it.each([
    ['custom_css', { custom_css: '/* unclosed', hide_selectors: ['div'] }],
    ['custom_css with an open rule', { custom_css: 'p { color: red', hide_selectors: ['div'] }],
    ['a selector', { hide_selectors: ['.none /*', 'div'] }],
  ])('has its elements hidden after an unclosed comment in %s', async (_what, fields) => {
    const box = '<body style="margin:0"><div style="height:200px;background:red"></div>';

    expect(await pixelAt(await captureOf(box, fields), 100, 100)).toEqual([255, 255, 255]);
  });

  // A form overrides its own properties by the names of its fields: 500 InternalServerError.
  it('may have forms whose fields are named as properties, around and beside the printed element', async () => {
    const names = [
      'style',
      'childNodes',
      'parentNode',
      'nodeName',
      'nodeType',
      'ownerDocument',
      'localName',
      'setAttribute',
      'assignedSlot',
    ];
    const fields = names.map((name) => `<input name="${name}">`).join('');
    const forms = `<form>${fields}<p>beside</p></form><form>${fields}<p id="only">only this</p></form>`;

    const answer = await captureOf(forms, { format: 'pdf', selector: '#only' });

    expect(answer.status).toBe(200);
    expect((await readPdf(answer.body)).pages[0]?.text.trim()).toBe('only this');
  });

  // 500 InternalServerError instead of waiting.
  it('may have removed requestAnimationFrame before wait_for_function', async () => {
    const script = `<script>requestAnimationFrame = null; setTimeout(() => { document.title = 'ready'; }, 500);</script>`;

    const answer = await captureOf(script, {
      format: 'html',
      run_ahead: 0,
      wait_for_function: "document.title === 'ready'",
    });

    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toContain('<title>ready</title>');
  });

  // Timers of a page without scripts never fire: TimeoutError after the whole wait.
  it('may hide its spinner by CSS alone, without scripts', async () => {
    const spinner =
      '<style>@keyframes away { to { visibility: hidden } } #spinner { animation: away 600ms forwards step-end }</style><p id="spinner">wait';

    const answer = await captureOf(spinner, {
      format: 'html',
      javascript: false,
      wait_for_selector_hidden: '#spinner',
      wait_for_timeout: 5_000,
    });

    expect(answer.status).toBe(200);
  });

  // The capture waited 600 ms for the first message.
  it.each([
    ['onmessage', 'events.onmessage = done'],
    ['a listener', `events.addEventListener('update', done)`],
  ])('shows the first message of an EventSource with %s, although it comes after 1.5 s', async (_what, listen) => {
    const script = `<body style="background:red"><script>
      const done = () => { document.body.style.background = 'lime'; };
      const events = new EventSource('/odd/events'); ${listen};
    </script>`;

    expect(await pixelAt(await captureOf(script), 100, 100)).toEqual([0, 255, 0]);
  });

  // Each element had a style rule of its own with the whole copy: 1.8 GB of CSS, PageCrashedError.
  it('may show one large animated picture thousands of times', async () => {
    const script = `<script>document.write('<img src="/odd/large.svg" width="5" height="5">'.repeat(4_000))</script>`;

    expect((await captureOf(script)).status).toBe(200);
  });
});
