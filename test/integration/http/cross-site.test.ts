import type { Browser } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { send } from '../../support/raw-http.ts';
import { readHealth, type RunningService, startService } from '../../support/service.ts';
import { openBrowser } from '../../support/visitor-browser.ts';

const REBOUND = 'rebound.example';

describe('a service without a token, and a browser with other pages open', () => {
  let site: FixtureSite;
  let service: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    [site, service, browser] = await Promise.all([
      createFixtureSite(),
      startService(),
      // DNS rebinding: first the address of the page, then the address of the service.
      openBrowser([`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`]),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), browser.close(), site.close()]));

  const captures = async (): Promise<number> => (await readHealth(service.url)).browser.captures;
  const captureOf = (mark: string): string =>
    `${service.url}/capture?format=html&url=${encodeURIComponent(site.url(`/plain?${mark}`))}`;
  const wasCaptured = (mark: string): boolean => site.requests.some(({ path }) => path.includes(mark));

  it.each(['same-site', 'cross-site'])(
    'starts no capture and reveals nothing to a page of a %s origin, whatever it tries',
    async (kind) => {
      const before = await captures();
      const mark = `foreign-${kind}`;
      const page = await (await browser.createBrowserContext()).newPage();
      await page.goto(`${kind === 'same-site' ? site.origin : site.crossSiteOrigin}/plain`);

      const shown = await page.evaluate(tryAll, captureOf(mark), `${service.url}/sign`);

      expect(shown).toEqual({
        picture: 'error',
        script: 'error',
        style: 'error',
        opaque: 'opaque',
        readable: 'failed',
        posted: 'opaque',
        signed: 'opaque',
        beacon: true,
        form: 'loaded',
        frame: 'loaded',
      });
      expect(wasCaptured(mark)).toBe(false);
      expect(await captures()).toBe(before);
      await page.close();
    },
  );

  it('answers a page under a rebound name only that it is blocked', async () => {
    const before = await captures();
    const page = await (await browser.createBrowserContext()).newPage();
    const own = service.url.replace('127.0.0.1', REBOUND);
    await page.goto(own);

    const answers = await page.evaluate(
      async (paths, body) => {
        const requested = paths.map((path) => fetch(path));
        requested.push(fetch('/capture', { method: 'POST', headers: { 'content-type': 'application/json' }, body }));
        return await Promise.all(requested.map(async (each) => (await each).json()));
      },
      ['/', '/docs', '/openapi.json', '/metrics', '/health', captureOf('rebound').slice(service.url.length)],
      JSON.stringify({ url: site.url('/plain?rebound') }),
    );

    expect(answers).toHaveLength(7);
    for (const answer of answers) expect(answer).toMatchObject({ error_type: 'CrossSiteRequestError' });
    expect(wasCaptured('rebound')).toBe(false);
    expect(await captures()).toBe(before);
    await page.close();
  });

  it.each(['127.0.0.1', 'localhost', 'capture-service', '[::1]'])(
    'answers requests to the host name %s',
    async (host) => {
      const { port } = new URL(service.url);
      const path = '/capture?html_content=x&format=html';

      const answer = await send(service.url, { method: 'GET', path, headers: { host: `${host}:${port}` } });

      expect(answer).toMatchObject({
        status: 200,
        headers: { 'cross-origin-resource-policy': 'same-origin' },
      });
    },
  );

  it('answers a user who opens the URL of a capture', async () => {
    const page = await (await browser.createBrowserContext()).newPage();

    const answer = await page.goto(`${service.url}/docs`);
    const shown = await page.evaluate(async (path) => (await fetch(path)).status, captureOf('visited'));

    expect([answer?.status(), shown]).toEqual([200, 200]);
    await page.close();
  });
});

/** Runs in the page of the attacker: every way to send a request to another origin. */
async function tryAll(capture: string, sign: string): Promise<Record<string, unknown>> {
  const { body } = document;
  const byElement = (name: string, attributes: Record<string, string>): Promise<string> => {
    const element = Object.assign(document.createElement(name), attributes);
    const ended = new Promise<string>((resolve) => {
      element.addEventListener('load', () => {
        resolve('loaded');
      });
      element.addEventListener('error', () => {
        resolve('error');
      });
    });
    body.append(element);
    return ended;
  };
  const byFetch = async (init: RequestInit, url = capture): Promise<string> => {
    try {
      return (await fetch(url, init)).type;
    } catch {
      return 'failed';
    }
  };
  const byForm = async (): Promise<string> => {
    const target = byElement('iframe', { name: 'target', srcdoc: 'empty' });
    await target;
    const frame = document.querySelector<HTMLIFrameElement>('iframe[name=target]');
    const form = Object.assign(document.createElement('form'), {
      method: 'post',
      action: capture,
      target: 'target',
    });
    const loaded = new Promise<string>((resolve) => {
      frame?.addEventListener('load', () => {
        resolve('loaded');
      });
    });
    body.append(form);
    form.submit();
    return await loaded;
  };
  const post = { method: 'POST', mode: 'no-cors', body: '{"html_content":"x"}' } as const;
  return {
    picture: await byElement('img', { src: capture, referrerPolicy: 'no-referrer' }),
    script: await byElement('script', { src: capture }),
    style: await byElement('link', { rel: 'stylesheet', href: capture }),
    opaque: await byFetch({ mode: 'no-cors', referrerPolicy: 'no-referrer' }),
    readable: await byFetch({}),
    posted: await byFetch(post),
    signed: await byFetch(post, sign),
    beacon: navigator.sendBeacon(capture, 'x'),
    form: await byForm(),
    frame: await byElement('iframe', { src: capture }),
  };
}
