import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { readError } from '../../support/errors.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { type Routes, send, sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { readPdf } from '../../support/pdf.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { type SilentServers, startSilentServers } from '../../support/silent-servers.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="red"/></svg>';

/** Markup that loads a sub-resource from an address without a suffix. */
const KINDS = {
  picture: (url) => `<img src="${url}.png">`,
  'picture with a size and a text': (url) => `<img src="${url}.png" alt="A text" width="30" height="20">`,
  'picture behind a redirect': (url) =>
    `<img src="/redirect?${encodeURIComponent(`${url}.png`)}" width="30" height="20">`,
  'picture of an SVG': (url) => `<svg width="30" height="20"><image href="${url}.png" width="30" height="20"/></svg>`,
  background: (url) => `<style>h1 { background: url("${url}.png") }</style>`,
  script: (url) => `<script src="${url}.js"></script>`,
  'deferred script': (url) => `<script defer src="${url}.js"></script>`,
  'import of a module': (url) => `<script type="module">import '${url}.js'</script>`,
  'style sheet': (url) => `<link rel="stylesheet" href="${url}.css">`,
  'imported style sheet': (url) => `<style>@import '${url}.css'</style>`,
  font: (url) =>
    `<style>@font-face { font-family: Dead; src: url('${url}.woff2') } h1 { font-family: Dead, serif }</style>`,
  frame: (url) => `<iframe src="${url}.html" width="60" height="30" style="border: 0"></iframe>`,
  'picture in a frame of another site': (url) =>
    `<iframe src="/other-site?${encodeURIComponent(`${url}.png`)}" style="border: 0"></iframe>`,
  'synchronous request': (url) =>
    `<script>try { const request = new XMLHttpRequest(); request.open('GET', '${url}.txt', false); request.send(); } catch {}</script>`,
} satisfies Record<string, (url: string) => string>;

const TRANSPARENT =
  '<img width="30" height="20" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">';

/** The same markup without the address. */
const WITHOUT: Partial<Record<keyof typeof KINDS, string>> = {
  'picture of an SVG': '<svg width="30" height="20"></svg>',
  'picture with a size and a text': TRANSPARENT,
  'picture behind a redirect': TRANSPARENT,
  font: '<style>h1 { font-family: serif }</style>',
  frame: '<iframe width="60" height="30" style="border: 0"></iframe>',
  'picture in a frame of another site': '<iframe src="/other-site" style="border: 0"></iframe>',
};

interface Combination {
  readonly kind: keyof typeof KINDS;
  readonly from: 'silent' | 'half' | 'dropping' | 'own';
  readonly count: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

const combination = (
  kind: Combination['kind'],
  from: Combination['from'],
  count = 1,
  fields: Combination['fields'] = {},
): Combination => ({ kind, from, count, fields });

const COMBINATIONS = [
  combination('picture', 'own', 50, { full_page: true }),
  combination('picture', 'dropping', 50),
  combination('picture with a size and a text', 'half', 1, { full_page: true }),
  combination('picture behind a redirect', 'silent'),
  combination('picture of an SVG', 'silent'),
  combination('background', 'silent', 1, { run_ahead: 5_000 }),
  combination('script', 'own', 50, { wait_for_selector: '#after' }),
  combination('script', 'silent', 1, { format: 'pdf' }),
  combination('script', 'half', 1, { format: 'html' }),
  combination('script', 'dropping', 1, { format: 'markdown', main_content: false }),
  combination('deferred script', 'own', 1, { actions: [{ type: 'click', selector: '#after' }] }),
  combination('import of a module', 'half', 1, { wait_for_network: 'mostly_idle' }),
  combination('style sheet', 'half', 50),
  combination('style sheet', 'dropping', 1, { format: 'pdf' }),
  combination('imported style sheet', 'silent', 1, { full_page: true }),
  combination('font', 'silent'),
  combination('frame', 'silent', 1, { full_page: true }),
  combination('picture in a frame of another site', 'silent'),
  combination('synchronous request', 'own'),
];

/**
 * Time between the starts of two captures. Their silence ends at the same time otherwise, and then the site answers
 * later than the service waits for a host that has answered at once before.
 */
const APART_MS = 250;

const LOADS = `<h1>A title</h1><img src="/red.svg" width="40" height="40"><p id="after">not loaded</p>
<script>addEventListener('load', () => { document.querySelector('#after').textContent = 'loaded' })</script>`;

describe('a page with sub-resources whose server is silent', () => {
  let site: FixtureSite;
  let servers: SilentServers;
  let service: RunningService;
  const answers = new Map<Combination, readonly [CaptureAnswer, CaptureAnswer]>();
  const pages = new Map<string, string>();

  const captureOf = async (body: string, fields: Combination['fields'] = {}): Promise<CaptureAnswer> => {
    const path = `/made/${pages.size}`;
    pages.set(path, body);
    const size = { window_width: 400, window_height: 300 };
    return await capture(service.url, { url: site.url(path), ...size, ...fields });
  };
  const deadMarkup = ({ kind, from, count }: Combination): string => {
    const origin = from === 'own' ? '/dead' : servers[from];
    return Array.from({ length: count }, (_, index) => KINDS[kind](`${origin}/${index}`)).join('');
  };

  beforeAll(async () => {
    const moreRoutes: Routes = {
      '/made/*': ({ response, url }) => sendHtml(response, toDocument({ body: pages.get(url.pathname) ?? '' })),
      '/dead/*': () => undefined,
      '/pausing': ({ response, url }) => {
        response.writeHead(200, { 'content-type': 'text/html' }).write(`<p>head</p>${url.searchParams.get('with')}`);
        setTimeout(() => response.end('<p>end</p>'), 12_000).unref();
      },
      '/redirect': ({ response, url }) =>
        void response.writeHead(302, { location: decodeURIComponent(url.search.slice(1)) }).end(),
      '/red.svg': ({ response }) => send(response, { type: 'image/svg+xml', body: SVG }),
      '/other-site': ({ response, url, crossSiteOrigin }) =>
        void response.writeHead(302, { location: `${crossSiteOrigin}/frame${url.search}` }).end(),
      '/frame': ({ response, url }) =>
        sendHtml(
          response,
          toDocument({
            body: `<p>Frame</p>${url.search === '' ? '' : `<img src="${decodeURIComponent(url.search.slice(1))}">`}`,
          }),
        ),
      '/slow/*': ({ response }) => void setTimeout(() => send(response, { type: 'image/svg+xml', body: SVG }), 1_000),
    };
    [site, servers, service] = await Promise.all([
      createFixtureSite({ moreRoutes }),
      startSilentServers(),
      startService({ POOL_SIZE: '20', MAX_QUEUE: '100' }),
    ]);
    await Promise.all(
      COMBINATIONS.map(async (each, index) => {
        await delay(index * APART_MS);
        const dead = await captureOf(deadMarkup(each) + LOADS, each.fields);
        const without = await captureOf((WITHOUT[each.kind] ?? '').repeat(each.count) + LOADS, each.fields);
        answers.set(each, [dead, without]);
      }),
    );
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), servers[Symbol.asyncDispose](), site.close()]));

  it.each(COMBINATIONS.map((each) => [each.count, each.kind, each.from, each.fields, each] as const))(
    'is captured like the page without %i x %s, %s, %j',
    async (_count, _kind, _from, { format }, each) => {
      const [dead, without] = answers.get(each) ?? [];
      if (dead === undefined || without === undefined) throw new Error('it was not captured');
      const seen = async ({ body }: CaptureAnswer): Promise<unknown> => {
        if (format === 'pdf') return (await readPdf(body)).pages;
        if (format === undefined) return body;
        return body.toString().replace(deadMarkup(each), '');
      };

      expect(dead.status).toBe(200);
      expect(dead.headers.get('x-capture-warnings')?.split(',')).toContain('page_load_incomplete');
      expect(without.headers.get('x-capture-warnings')).toBeNull();
      expect(await seen(dead)).toEqual(await seen(without));
    },
  );

  it('is captured at wait_for_timeout if that is shorter, and does not wait again', async () => {
    const [dead, lazy] = [`${servers.silent}/1.js`, `${servers.silent}/2.png`];
    const body = `<script src="${dead}"></script><div style="height: 3000px">${LOADS}</div><img loading="lazy" src="${lazy}">`;

    const answer = await captureOf(body, { wait_for_timeout: 1_200, full_page: true });

    expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, 'page_load_incomplete']);
  });

  it('is captured if it is supplied as markup', async () => {
    const html_content = `<script src="${servers.silent}/1.js"></script><p>The text behind it</p>`;

    const answer = await capture(service.url, {
      html_content,
      wait_for_timeout: 1_200,
      format: 'markdown',
      main_content: false,
    });

    expect([answer.status, answer.body.toString().trim()]).toEqual([200, 'The text behind it']);
  });

  it('keeps its event streams and requests of other hosts', async () => {
    const events = `${site.crossSiteOrigin}/dead/events`;
    const body = `<p>open</p><script>
      const fail = (name) => document.body.append(name + ' failed');
      new EventSource('${events}').onerror = () => fail('stream');
      fetch('${events}?poll', { mode: 'no-cors' }).catch(() => fail('poll'));
    </script><img src="${servers.silent}/1.png">`;

    const answer = await captureOf(body, {
      wait_for_timeout: 2_500,
      format: 'markdown',
      main_content: false,
    });

    expect(answer.headers.get('x-capture-warnings')).toBe('page_load_incomplete');
    expect(answer.body.toString().trim()).not.toContain('failed');
  });

  it.each([
    ['a request', "const request = new XMLHttpRequest(); request.open('GET', '/dead/poll'); request.send();"],
    ['a picture', "new Image().src = '/dead/picture.png';"],
    ['nothing', ''],
  ])('keeps its own document, which pauses for 12 s beside %s', async (_what, script) => {
    const answer = await capture(service.url, {
      url: site.url(`/pausing?with=${encodeURIComponent(`<script>${script}</script>`)}`),
      format: 'markdown',
      main_content: false,
      wait_for_timeout: 20_000,
    });

    expect(answer.body.toString()).toContain('end');
  });

  it('is rejected with fail_on', async () => {
    const fields = { wait_for_timeout: 1_200, fail_on: ['request_failed'] };

    const answer = await captureOf(`<img src="${servers.silent}/1.png">`, fields);

    expect(readError(answer)).toMatchObject({
      error_type: 'PageRejectedError',
      error_details: `fail_on: request_failed: ${servers.silent}/1.png (empty response)`,
    });
  });

  it('is captured at once if a script stops its load', async () => {
    const body = `<p>Stopped</p><img src="${servers.silent}/1.png"><script>setTimeout(() => stop(), 100)</script>`;

    const answer = await captureOf(body, { format: 'markdown', main_content: false });

    expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, null]);
  });

  it('is captured whole if a picture arrives each second for longer than that', async () => {
    const body = `<script>
      const show = (number) => {
        if (number === 20) return;
        const picture = new Image(20, 20);
        picture.src = '/slow/' + number;
        picture.onload = () => show(number + 1);
        document.body.append(picture);
      };
      addEventListener('DOMContentLoaded', () => show(0));
    </script>`;

    const answer = await captureOf(body);

    expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, null]);
    expectColour(await readPicture(answer.body), 19 * 20 + 10, 10, [255, 0, 0]);
  });
});
