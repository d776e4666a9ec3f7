import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR } from '../../support/colour.ts';
import { readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type Routes, sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/** Pages that take a processor core for seconds. */
describe('a page whose scripts never end', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    const script = `const end = performance.now() + 2_500; while (performance.now() < end); document.documentElement.style.background = '#00a000';`;
    const moreRoutes: Routes = {
      '/busy-load': ({ response }) => sendHtml(response, toDocument({ body: `<script>${script}</script>` })),
    };
    [site, service] = await Promise.all([createFixtureSite({ moreRoutes }), sharedService()]);
  });
  afterAll(() => site.close());

  it.each([
    ['loops until Date.now() has passed a time', 'const t = Date.now(); while (Date.now() - t < 200);'],
    [
      'loops until performance.now() has passed a time',
      'const t = performance.now(); while (performance.now() - t < 200);',
    ],
  ])('does not hang on a page that %s', async (_what, loop) => {
    // Starts after load: on a busy machine the page could enter its loop before its time runs ahead.
    const html_content = `<html style="background:#f00"><script>onload = () => setTimeout(() => { ${loop} document.documentElement.style.background = '#00a000'; }, 1_500);</script>`;
    const { status, headers, body } = await capture(service.url, { html_content, delay_capture: 3_000 });

    expect(status).toBe(200);
    expect(headers.get('x-capture-warnings')).toBe('run_ahead_incomplete');
    expect((await readPicture(body)).pixel(600, 400).slice(0, 3)).toEqual(COLOUR.green);
  });

  it('takes a picture of a page with slow frames without waiting for more of them', async () => {
    const html_content = `<p>0</p><script>let frames = 0; (function draw() {
      for (let k = 0, sum = 0; k < 3e8; k++) sum = Math.imul(sum, 48271) + k | 0;
      document.querySelector('p').textContent = ++frames; requestAnimationFrame(draw); })()</script>`;
    const { status, headers } = await capture(service.url, { html_content });

    const timing = headers.get('server-timing') ?? '';
    const [, frameMs = ''] = /navigate;dur=([\d.]+)/.exec(timing) ?? [];
    const [, renderMs = ''] = /render;dur=([\d.]+)/.exec(timing) ?? [];
    expect([status, headers.get('x-capture-warnings')]).toEqual([200, 'run_ahead_incomplete']);
    expect(Number(renderMs)).toBeLessThan(Number(frameMs)); // the page draws its first frame while it loads
  });

  it('captures a page with many long tasks in one attempt', async () => {
    // 100 tasks of 60 ms take no page time. Their length is measured while page time is still real time.
    const image = site.url('/plain?long-tasks');
    const script = `let sum = 0;
      const chunk = () => { for (let k = 0; k < 1e6; k++) sum = Math.imul(sum, 48271) + k | 0; };
      for (let k = 0; k < 20; k++) chunk();
      let chunks = 0;
      for (const end = performance.now() + 60; performance.now() < end; chunks++) chunk();
      let left = 100;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { for (let k = 0; k < chunks; k++) chunk(); if (--left > 0) port2.postMessage(0); };
      onload = () => setTimeout(() => port2.postMessage(0), 100);`;
    const html_content = `<img src="${image}"><script>${script}</script>`;
    const { status } = await capture(service.url, { html_content });

    expect(status).toBe(200);
    expect(site.requests.filter(({ path }) => path === '/plain?long-tasks')).toHaveLength(1);
  });

  it('captures a page with tasks of seconds in one attempt', async () => {
    // The length of a task is measured while page time is still real time.
    const image = site.url('/plain?longer-tasks');
    const script = `let sum = 0;
      const chunk = () => { for (let k = 0; k < 2e7; k++) sum = Math.imul(sum, 48271) + k | 0; };
      chunk();
      let chunks = 0;
      for (const end = performance.now() + 500; performance.now() < end; chunks++) chunk();
      let left = 3;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { for (let k = 0; k < 5 * chunks; k++) chunk(); if (--left > 0) port2.postMessage(0); };
      onload = () => setTimeout(() => port2.postMessage(0), 100);`;
    const { status } = await capture(service.url, { html_content: `<img src="${image}"><script>${script}</script>` });

    expect(status).toBe(200);
    expect(site.requests.filter(({ path }) => path === '/plain?longer-tasks')).toHaveLength(1);
  });

  it('captures a page whose scripts are still busy at the time limit of its load', async () => {
    const url = site.url('/busy-load');
    const answer = await capture(service.url, { url, wait_for_timeout: 1_000 });

    expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, null]);
    expect((await readPicture(answer.body)).pixel(600, 400).slice(0, 3)).toEqual(COLOUR.green);
  });

  it.each([
    ['timers of 0 ms', 'const again = () => setTimeout(again, 0); again();'],
    ['intervals of 0 ms', 'for (let k = 0; k < 100; k++) setInterval(() => { window.n = k; }, 0);'],
    ['promises', 'const again = async () => { await fetch("data:,x"); again(); }; again();'],
    [
      'messages',
      'const { port1, port2 } = new MessageChannel(); port1.onmessage = () => port2.postMessage(0); port2.postMessage(0);',
    ],
    ['frames', 'const again = () => requestAnimationFrame(again); again();'],
    [
      'timers and clocks of its own',
      'window.setTimeout = window.requestAnimationFrame = window.requestIdleCallback = () => 7; Date.now = performance.now = () => 0;',
    ],
    [
      'errors in all of them',
      'window.requestAnimationFrame = null; window.setTimeout = 5; IntersectionObserver = undefined; setInterval(() => { throw 1; }, 1);',
    ],
    ['a worker that never ends', 'new Worker(URL.createObjectURL(new Blob(["for (;;);"])));'],
    [
      'video and sound',
      'const a = new AudioContext(); a.createOscillator().start(); setInterval(() => new Audio("data:audio/wav;base64,AAAA").play().catch(() => 0), 50);',
    ],
  ])('stops running ahead despite endless %s', async (_what, script) => {
    const { status, body } = await capture(service.url, {
      html_content: `<html style="background:#00a000"><script>addEventListener('load', () => { ${script} });</script>`,
    });

    expect({ status, text: status === 200 ? '' : body.toString() }).toEqual({ status: 200, text: '' });
    expect((await readPicture(body)).pixel(600, 400).slice(0, 3)).toEqual(COLOUR.green);
  });

  it('refuses the cookie banner of a busy page or reports it', async () => {
    const busy = `let left = 5;
      const work = () => { const began = performance.now(); while (performance.now() - began < 1_300); if (--left > 0) setTimeout(work); };
      onload = work;`;
    const banner = `<div id="cookie-banner" style="position: fixed; bottom: 0; left: 0; right: 0; padding: 20px; background: #fff">
      We use cookies to improve your experience. <button>Accept all</button> <button>Reject all</button></div>`;
    const fields = { block_cookie_banners: true, run_ahead: 0, window_width: 400, window_height: 300 };
    const [bare, answer] = [
      await capture(service.url, { html_content: '<h1>Story</h1>', ...fields }),
      await capture(service.url, { html_content: `<h1>Story</h1>${banner}<script>${busy}</script>`, ...fields }),
    ];

    const isReported = answer.headers.get('x-capture-warnings') === 'cookie_banner_open';
    const isOff = answer.body.equals(bare.body);
    expect({ status: answer.status, isReported, isOff }).toEqual({ status: 200, isReported: !isOff, isOff });
  });

  // The slot must be released: it was held for the whole request timeout. The script takes a processor core for 22 s.
  it('cancels a page whose scripts never end after load', async () => {
    const html_content = '<script>onload = () => setTimeout(() => { while (true); })</script>';
    const fields = { html_content, full_page: true, wait_for_timeout: 2_000 };
    const answer = await capture(service.url, fields);

    expect(readError(answer)).toMatchObject({
      status: 500,
      error_type: 'TimeoutError',
      message: 'The page does not answer',
    });
  });
});
