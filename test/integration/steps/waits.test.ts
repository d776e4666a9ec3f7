import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Colour } from '../../support/colour.ts';
import { invalid, readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture, captureSoon } from '../../support/http.ts';
import { FONTS_PAGE } from '../../support/pages/document.ts';
import { LATE_ELEMENT_PAGE } from '../../support/pages/elements.ts';
import { MEDIA_PAGE } from '../../support/pages/media.ts';
import { NETWORK_PAGE } from '../../support/pages/network.ts';
import { CSS_PAGE } from '../../support/pages/plain.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const WHITE: Colour = [255, 255, 255];
const MEDIA_FILES: readonly string[] = [...MEDIA_PAGE.files.pictures, ...MEDIA_PAGE.files.media];

describe('the readiness of a page', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), startService({ MAX_WAIT_MS: '40000' })]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>> = {}): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['a wait for an element', { wait_for_selector: '#never' }],
    ['a wait for its end', { wait_for_selector_hidden: '*' }],
    ['a wait for a function', { wait_for_function: 'false' }],
    ['an element', { selector: '#never' }],
    ['an action', { actions: [{ type: 'click', selector: '#never' }] }],
  ])('names the status of a page that failed in the error of %s', async (_what, fields) => {
    const answers = await Promise.all(
      ['/status/500', '/css'].map((path) => captureSoon(service.url, { url: site.url(path), ...fields })),
    );

    const [failed, plain] = answers.map((answer) => readError(answer).error_details);
    expect(failed).toMatch(/; the page answered with status 500$/);
    expect(plain).not.toContain('status');
  });

  it('waits for an element if requested', async () => {
    const answer = await captureOf('/late-element', { wait_for_selector: '#late' });

    expect(await insideOf(answer, LATE_ELEMENT_PAGE.late)).toEqual(LATE_ELEMENT_PAGE.late.colour);
  });

  it.each([
    [
      'in a frame',
      `const frame = document.createElement('iframe'); document.body.append(frame); const home = frame.contentDocument.body`,
    ],
    [
      'in an open shadow tree',
      `const home = document.createElement('div').attachShadow({ mode: 'open' }); document.body.append(home.host)`,
    ],
  ])('waits for an element that appears %s, without a mutation of the document', async (_where, home) => {
    const script = `${home}; setTimeout(() => { home.innerHTML = '<p id="late">' }, 300)`;

    const { status } = await capture(service.url, {
      html_content: `<body><script>${script}</script>`,
      format: 'html',
      run_ahead: 0,
      wait_for_selector: '#late',
      wait_for_timeout: 5_000,
    });

    expect(status).toBe(200);
  });

  it.each([
    ['is removed', 'spinner.remove()'],
    ['is not displayed', 'spinner.style.display = "none"'],
    ['becomes invisible', 'spinner.style.visibility = "hidden"'],
    ['becomes transparent', 'document.body.style.opacity = 0'],
    ['loses its size', 'spinner.style.cssText = "display: block; width: 0; height: 0; overflow: hidden"'],
    ['no longer matches', 'spinner.className = "done"'],
  ])('waits until an element is hidden: it %s', async (_case, script) => {
    const fields = {
      html_content: `<b id=spinner class=busy>...</b><script>
        setTimeout(() => { ${script}; document.documentElement.dataset.hidden = 'yes' }, 400)</script>`,
      format: 'html',
      run_ahead: 0,
    };

    const [early, waited] = [
      await capture(service.url, fields),
      await capture(service.url, { ...fields, wait_for_selector_hidden: '.busy' }),
    ];

    expect(early.body.toString()).not.toContain('data-hidden');
    expect([waited.status, waited.body.toString()]).toEqual([200, expect.stringContaining('data-hidden')]);
  });

  it('waits until no element matches in frames and open shadow trees', async () => {
    const { status, body } = await capture(service.url, {
      html_content: `<iframe srcdoc="<b>...</b>"></iframe><p></p><script>
        const host = document.querySelector('p').attachShadow({ mode: 'open' });
        host.innerHTML = '<b>...</b>';
        setTimeout(() => host.querySelector('b').remove(), 200);
        setTimeout(() => { frames[0].document.querySelector('b').remove(); document.body.className = 'done' }, 500);</script>`,
      format: 'html',
      run_ahead: 0,
      wait_for_selector_hidden: 'b',
    });

    expect([status, body.toString()]).toEqual([200, expect.stringContaining('class="done"')]);
  });

  it('waits for no element that is missing', async () => {
    const { status } = await captureOf('/plain', { wait_for_selector_hidden: '#none' });

    expect(status).toBe(200);
  });

  it('fails if the element stays visible', async () => {
    const answer = await captureOf('/plain', { wait_for_selector_hidden: 'body', wait_for_timeout: 500 });

    expect(readError(answer)).toMatchObject({
      status: 500,
      error_type: 'TimeoutError',
      message: 'The element did not disappear in time',
      error_details: 'wait_for_selector_hidden: an element that matches body was still visible after 500 ms',
    });
  });

  it('waits for no element by default if page time does not run ahead', async () => {
    const answer = await captureOf('/late-element', { run_ahead: 0 });

    expect(await insideOf(answer, LATE_ELEMENT_PAGE.late)).toEqual(WHITE);
  });

  it('ends with a TimeoutError if the element does not appear', async () => {
    const startedAt = performance.now();

    const answer = await captureOf('/plain', { wait_for_selector: '#never', wait_for_timeout: 1_000 });

    expect(readError(answer)).toEqual({
      status: 500,
      error_type: 'TimeoutError',
      message: 'The element to wait for did not appear in time',
      error_details: 'wait_for_selector: no element matched #never within 1000 ms',
    });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('waits by default for requests in flight at load', async () => {
    const answer = await captureOf('/slow-fetch');

    expect(await centreOf(answer)).toEqual(NETWORK_PAGE.done.colour);
    expect(answer.headers.has('x-capture-warnings')).toBe(false);
  });

  it('ignores by default requests that begin later, also while page time runs ahead', async () => {
    const answer = await captureOf('/poll-finite', { run_ahead: 0 });

    expect(await centreOf(answer)).toEqual(NETWORK_PAGE.pending.colour);
  });

  it('waits for a quiet network with idle', async () => {
    const answer = await captureOf('/poll-finite', { wait_for_network: 'idle' });

    expect(await centreOf(answer)).toEqual(NETWORK_PAGE.done.colour);
    expect(answer.headers.has('x-capture-warnings')).toBe(false);
  });

  it('accepts two requests in flight with mostly_idle', async () => {
    const answer = await captureOf('/never-idle', {
      wait_for_network: 'mostly_idle',
      wait_for_timeout: 5_000,
    });

    expect(answer.status).toBe(200);
    expect(answer.headers.has('x-capture-warnings')).toBe(false);
  });

  it('ends with a picture and a warning if the network is never idle', async () => {
    // Each request of this page is answered after the next one has begun.
    const html_content = `<body style="margin:0;background:#00a000"><script>
      setInterval(() => fetch('${site.url('/answer-after?ms=900')}', { mode: 'no-cors' }), 200);
    </script>`;

    const answer = await capture(service.url, {
      html_content,
      run_ahead: 0,
      wait_for_network: 'idle',
      wait_for_timeout: 1_500,
    });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-capture-warnings')).toBe('network_not_idle');
    expect(await centreOf(answer)).toEqual(NETWORK_PAGE.done.colour);
  });

  it('ignores an EventSource', async () => {
    const html_content = `<script>new EventSource('${site.url('/events')}')</script>`;

    const answer = await capture(service.url, {
      html_content,
      wait_for_network: 'idle',
      wait_for_timeout: 3_000,
    });

    expect(answer.headers.has('x-capture-warnings')).toBe(false);
  });

  it('waits for web fonts in use', async () => {
    const answer = await captureOf('/fonts');

    expect(await insideOf(answer, FONTS_PAGE.block)).toEqual(FONTS_PAGE.block.colour);
  });

  it('waits for style sheets, including imported ones', async () => {
    const answer = await captureOf('/css');

    for (const box of [CSS_PAGE.linked, CSS_PAGE.imported, CSS_PAGE.screen]) {
      expect(await insideOf(answer, box)).toEqual(box.colour);
    }
  });

  it('waits for pictures, video and audio', async () => {
    const { requested, picture } = await captureMedia({});

    expect(requested.toSorted()).toEqual(MEDIA_FILES.toSorted());
    for (const { x, y, colour } of [MEDIA_PAGE.image, MEDIA_PAGE.background, MEDIA_PAGE.source]) {
      expectColour(picture, x + 50, y + 50, colour);
    }
  });

  it('waits for no media with block_media, which requests none', async () => {
    const { requested, picture } = await captureMedia({ block_media: true });

    expect(requested).toEqual([]);
    for (const { x, y } of [MEDIA_PAGE.background, MEDIA_PAGE.source]) {
      expectColour(picture, x + 50, y + 50, WHITE);
    }
    expectColour(picture, MEDIA_PAGE.inline.x + 50, 50, MEDIA_PAGE.inline.colour);
  });

  it('does not wait for a picture in a cross-site frame either, with block_media', async () => {
    const requestsBefore = site.requests.length;

    await captureOf('/frames', { block_media: true });

    const requested = site.requests.slice(requestsBefore).map((request) => request.path);
    expect(requested).toContain('/frames/cross');
    expect(requested.filter((path) => path.startsWith('/pictures/'))).toEqual([]);
  });

  it.each([0, 40_001, 1.5, '500'])('refuses durations outside the limits: %s', async (wait_for_timeout) => {
    const answer = await captureOf('/plain', { wait_for_timeout });

    expect(readError(answer)).toEqual(
      invalid(expect.stringMatching(/^wait_for_timeout: must be a whole number from 1 to \d+$/)),
    );
  });

  async function captureMedia(fields: Readonly<Record<string, unknown>>) {
    const requestsBefore = site.requests.length;
    const answer = await captureOf('/media', fields);
    const requested = site.requests.slice(requestsBefore).map((request) => request.path);
    return {
      requested: [...new Set(requested.filter((path) => MEDIA_FILES.includes(path)))],
      picture: await readPicture(answer.body),
    };
  }
});

async function centreOf(answer: CaptureAnswer): Promise<readonly number[]> {
  return (await readPicture(answer.body)).pixel(100, 100).slice(0, 3);
}

/** Returns the pixel just inside the top left corner of a box, as `centreOf`. */
async function insideOf(answer: CaptureAnswer, { x, y }: { x: number; y: number }): Promise<readonly number[]> {
  return (await readPicture(answer.body)).pixel(x + 10, y + 10).slice(0, 3);
}
