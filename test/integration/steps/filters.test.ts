import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR, pictureOf } from '../../support/colour.ts';
import { readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { createOutgoingProxy, type OutgoingProxy } from '../../support/outgoing-proxy.ts';
import { type Routes, send, sendHtml } from '../../support/pages/exchange.ts';
import { type Picture, readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const HOSTS = {
  ads: 'cdn.taboola.com',
  trackers: 'static.hotjar.com',
  chats: 'widget.olark.com',
  socials: 'cdn.sharethis.com',
  own: 'www.page.test',
  below: 'doubleclick.net.page.test',
} as const;
const BLUE_BOX = '<div style="height: 50px; width: 50px; background: rgb(0, 0, 255)"></div>';
const GREEN = pictureOf(COLOUR.green);

/** Script that reports loaded resources in the markup of the page. */
const REPORTS = `<script>
  const reported = (what) => { document.documentElement.dataset[what] = Number(document.documentElement.dataset[what] ?? 0) + 1; };
</script>`;

describe('blocking', () => {
  let site: FixtureSite;
  let proxy: OutgoingProxy;
  let service: RunningService;
  let port: string;
  beforeAll(async () => {
    site = await createFixtureSite({ moreRoutes: routes() });
    ({ port } = new URL(site.origin));
    const names = Object.fromEntries(Object.values(HOSTS).map((host) => [host, '127.0.0.1']));
    proxy = await createOutgoingProxy({ names });
    service = await startService({
      EGRESS_PROXY: proxy.url('socks5'),
      EGRESS_ALLOW: ['127.0.0.0/8', ...Object.values(HOSTS)].join(),
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await Promise.all([proxy[Symbol.asyncDispose](), site.close()]);
  });
  const at = (kind: keyof typeof HOSTS, path: string): string => `http://${HOSTS[kind]}:${port}${path}`;

  /** Returns the report of the page, the counts of blocked and refused requests, and the hosts that the proxy saw. */
  async function result(fields: Readonly<Record<string, unknown>>) {
    const before = proxy.targets.length;
    const answer = await capture(service.url, { format: 'html', ...fields });
    const header = (name: string): number => Number(answer.headers.get(name) ?? 0);
    return {
      status: answer.status,
      body: answer.body,
      filtered: header('x-filtered-requests'),
      blocked: header('x-blocked-requests'),
      hosts: new Set(proxy.targets.slice(before).map((host) => host.replace(/:\d+$/, ''))),
      loaded: Object.fromEntries(
        [...(/<html[^>]*>/.exec(answer.body.toString())?.[0] ?? '').matchAll(/data-(\w+)="(\w+)"/g)].map(
          ([, name, value]) => [name, value],
        ),
      ),
    };
  }

  function scripts(kind: keyof typeof HOSTS, count = 1): string {
    const sources = Array.from({ length: count }, (_, index) => at(kind, `/report/${kind}?${index}`));
    return sources.map((source) => `<script src="${source}"></script>`).join('');
  }

  /** Returns a page with a green picture at its end. */
  function pageWith(what: string): string {
    return `<body style="margin: 0">${what}<img src="${site.url(GREEN)}" width="100" height="100">`;
  }

  async function shot(fields: object) {
    const answer = await capture(service.url, { window_width: 800, window_height: 400, ...fields });
    expect(answer.status).toBe(200);
    return await readPicture(answer.body);
  }

  /** Returns markup that requests one host of each kind, and three advertising hosts. */
  function all(): string {
    return REPORTS + scripts('ads', 3) + scripts('trackers') + scripts('chats') + scripts('socials') + scripts('below');
  }

  async function requestedKinds(fields: object) {
    const before = site.requests.length;
    const { filtered } = await result({ url: site.url('/kinds'), wait_for_network: 'idle', ...fields });
    const paths = site.requests.slice(before).map(({ path }) => path);
    return { filtered, paths: [...new Set(paths)].filter((path) => path.startsWith('/kind/')).toSorted() };
  }

  describe('by host', () => {
    it('blocks nothing without a field', async () => {
      expect(await result({ html_content: all() })).toMatchObject({
        filtered: 0,
        loaded: { ads: '3', trackers: '1', chats: '1', socials: '1', below: '1' },
      });
    });

    it.each([
      ['block_ads', 'ads', 3],
      ['block_trackers', 'trackers', 1],
      ['block_chats', 'chats', 1],
      ['block_socials', 'socials', 1],
    ] as const)(
      'blocks the hosts that %s names, each request once, without a DNS lookup',
      async (field, kind, count) => {
        const { filtered, blocked, loaded, hosts } = await result({ html_content: all(), [field]: true });

        expect(filtered).toBe(count);
        expect(blocked).toBe(0);
        expect(Object.keys(loaded)).toHaveLength(4);
        expect(loaded).not.toHaveProperty(kind);
        expect(hosts).not.toContain(HOSTS[kind]);
        expect(hosts).toContain(HOSTS.below); // doubleclick.net is only a prefix of its name
      },
    );

    it('never blocks the requested page or a navigation of its main frame', async () => {
      const fields = { block_trackers: true, block_ads: true };

      expect(await result({ url: at('trackers', '/own'), ...fields })).toMatchObject({
        filtered: 1,
        loaded: { own: '1' },
      });
      expect(await result({ url: at('own', '/to-own'), ...fields })).toMatchObject({
        status: 200,
        filtered: 1,
        loaded: { own: '1' },
      });
      expect(await result({ url: at('own', '/script-to-own'), ...fields })).toMatchObject({
        status: 200,
        filtered: 1,
        loaded: { own: '1' },
      });
    });

    it('counts each blocked request once, for every initiator and route', async () => {
      const html_content = `<img src="${site.url('/to-ad')}">
        <iframe src="${at('ads', '/frame')}"></iframe><iframe src="${site.crossSiteOrigin}/frame-of-ads"></iframe>
        <script>
          fetch('${at('ads', '/x')}', { method: 'POST', headers: { 'x-a': 'b' } }).catch(() => {});
          navigator.sendBeacon('${at('ads', '/x')}', 'x');
          new WebSocket('${at('ads', '/x').replace('http', 'ws')}');
          new WebSocket('${at('ads', '/x').replace('http', 'ws')}');
        </script>`;

      const { filtered, hosts } = await result({ html_content, block_ads: true, wait_for_network: 'idle' });

      // The redirect, the frame, three from the cross-site frame, the preflighted request, the beacon, two sockets.
      expect(filtered).toBe(9);
      expect(hosts).not.toContain(HOSTS.ads);
    });

    it.each(['Worker', 'SharedWorker'])('blocks every request from a %s', async (kind) => {
      const { filtered, hosts } = await result({
        url: site.url(`/worker-page?${kind}`),
        block_ads: true,
        delay_capture: 500,
      });

      expect(filtered).toBe(2);
      expect(hosts).not.toContain(HOSTS.ads);
    });
  });

  describe('by the client', () => {
    it('blocks requests that match a pattern, but never the page itself', async () => {
      const html_content = `${REPORTS}<script src="${site.url('/report/a?x=1')}"></script><script src="${site.url('/report/b')}"></script>`;
      const blocked = async (...block_requests: string[]) => {
        const { loaded, filtered } = await result({ html_content, block_requests });
        expect(filtered).toBe(2 - Object.keys(loaded).length);
        return ['a', 'b'].filter((name) => !(name in loaded)).join('');
      };

      expect(await blocked()).toBe('');
      expect(await blocked('*')).toBe('ab');
      expect(await blocked('*/report/*')).toBe('ab');
      expect(await blocked('*/report/?*')).toBe('');
      expect(await blocked('*a?x=*')).toBe('a');
      expect(await blocked(site.url('/report/b'), '*/report/b', '*ort/b')).toBe('b');
      expect(await blocked(site.url('/report/'))).toBe('');
      expect(await result({ url: at('trackers', '/own'), block_requests: ['*'] })).toMatchObject({
        status: 200,
      });
    });

    let unblocked: ReturnType<typeof requestedKinds> | undefined;
    it.each([
      ['image', ['/kind/image']],
      ['media', ['/kind/media']],
      ['font', ['/kind/font']],
      ['stylesheet', ['/kind/stylesheet']],
      ['script', ['/kind/script', '/kind/worker']],
      ['xhr', ['/kind/xhr']],
      ['fetch', ['/kind/fetch', '/kind/worker-fetch']],
      ['websocket', ['/kind/websocket']],
      ['iframe', ['/kind/iframe']],
      ['other', ['/kind/beacon', '/kind/events', '/kind/track']],
    ])('blocks requests of the kind %s', async (name, paths) => {
      const isOfKind = (path: string): boolean => paths.includes(path);
      const without = await (unblocked ??= requestedKinds({}));
      const targets = await requestedKinds({ block_resources: [name] });
      // A blocked script sends no requests of its own.
      const follows = (path: string): boolean => name === 'script' && path === '/kind/worker-fetch';

      expect(without.paths.filter(isOfKind)).toHaveLength(paths.length);
      expect(targets.paths).toEqual(without.paths.filter((path) => !isOfKind(path) && !follows(path)));
      expect(targets.filtered).toBe(paths.length);
    });

    it('blocks a WebSocket whose address matches, and no other', async () => {
      const socket = (path: string): string => site.url(path).replace('http', 'ws');
      // Opens sockets one after the other: Chrome may connect concurrent ones in any order.
      const html_content = `<script>
        const paths = ['one', 'two', 'one', 'three'];
        const next = () => { const path = paths.shift(); if (path) new WebSocket('${socket('/')}' + path).onclose = next; };
        next();
      </script>`;
      const before = site.requests.length;

      const { filtered } = await result({ html_content, block_requests: ['ws://*/one'], delay_capture: 500 });

      expect(filtered).toBe(2);
      expect(site.requests.slice(before).map(({ path }) => path)).toEqual(['/two', '/three']);
    });

    it.each([
      ['block_requests', 'x', 'block_requests: must be a list of at most 100 patterns'],
      [
        'block_requests',
        Array.from({ length: 101 }, () => '*'),
        'block_requests: must be a list of at most 100 patterns',
      ],
      ['block_requests', ['*', ' '], 'block_requests[1]: must be text of 1 to 2048 characters, not blank'],
      ['block_requests', ['*'.repeat(2_049)], 'block_requests[0]: must be text of 1 to 2048 characters, not blank'],
      [
        'block_requests',
        ['analytics.js'],
        'block_requests[0]: must match a whole URL: use * for any text, as in *analytics.example*',
      ],
      [
        'block_resources',
        ['images'],
        'block_resources[0]: must be one of image, media, font, stylesheet, script, xhr, fetch, websocket, iframe, other',
      ],
      ['block_ads', 'yes', 'block_ads: must be true or false'],
    ])('refuses an invalid %s', async (field, value, details) => {
      const answer = await capture(service.url, { html_content: 'x', [field]: value });

      expect(readError(answer)).toMatchObject({ status: 400, error_details: details });
    });
  });

  describe('hides the placeholders', () => {
    it.each([
      ['a frame', (url: string) => `<iframe src="${url}" width="300" height="200"></iframe>`],
      [
        'a frame that a script has navigated',
        (url: string) =>
          `<iframe id="f" width="300" height="200"></iframe><script>document.querySelector('#f').contentWindow.location = '${url}';</script>`,
      ],
      ['a picture', (url: string) => `<img src="${url}" width="300" height="200" alt="other text">`],
      ['a picture with several densities', (url: string) => `<img srcset="${url} 1x, ${url} 2x" alt="other text">`],
      [
        'a picture in a shadow tree',
        (url: string) => `<div><template shadowrootmode="open"><img src="${url}" alt="other text"></template></div>`,
      ],
      [
        'a picture behind a redirect',
        (url: string) =>
          `<img src="/redirect?to=${encodeURIComponent(url)}" width="300" height="200" alt="other text">`,
      ],
    ])('of %s', async (_what, markup) => {
      const url = `${at('ads', '/frame')}?${'x'.repeat(10)}`;
      const html_content = pageWith(markup(url).replace('src="/redirect', `src="${site.url('/redirect')}`));
      const clean = await shot({ html_content: pageWith('') });

      for (const fields of [{ block_ads: true }, { block_requests: ['*taboola*'] }])
        expect(isSame(await shot({ html_content, ...fields }), clean)).toBe(true);
    });

    it('of a page that is busy meanwhile', async () => {
      const busy = `<script>let left = 4; onload = function work() {
        const began = performance.now();
        while (performance.now() - began < 400);
        if (--left > 0) setTimeout(work);
      };</script>`;
      const html_content = pageWith(`${busy}<img src="${at('ads', '/x.png')}" alt="other text">`);
      const clean = await shot({ html_content: pageWith('') });

      expect(isSame(await shot({ html_content, block_ads: true, run_ahead: 0 }), clean)).toBe(true);
    });

    it('in a frame of another site', async () => {
      const [clean, hidden] = await Promise.all([
        shot({
          html_content: pageWith(
            `<iframe src="${site.crossSiteOrigin}/empty-frame" width="300" height="200" style="border: 0"></iframe>`,
          ),
        }),
        shot({
          html_content: pageWith(
            `<iframe src="${site.crossSiteOrigin}/frame-of-ads" width="300" height="200" style="border: 0"></iframe>`,
          ),
          block_ads: true,
        }),
      ]);

      expect(isSame(hidden, clean)).toBe(true);
    });

    it('but shows content of the page: a navigated frame, a frame that a script has filled, and a replaced picture', async () => {
      const html_content =
        pageWith(`<iframe id="a" srcdoc="<body style='background: red'>" width="100" height="100" style="border: 0"></iframe>
        <iframe id="b" width="100" height="100" style="border: 0"></iframe>
        <img src="${at('ads', '/x.png')}" onerror="this.onerror = null; this.src = '${site.url(pictureOf(COLOUR.blue))}'" width="100" height="100">
        <script>
          onload = () => {
            document.querySelector('#a').contentWindow.location = '${at('ads', '/x')}';
            const { contentWindow, contentDocument } = document.querySelector('#b');
            contentDocument.body.innerHTML = '<p>own';
            contentWindow.location = '${at('ads', '/y')}';
          };
        </script>`);
      const picture = await shot({ html_content, block_requests: ['*taboola*'], delay_capture: 300 });

      expect(picture.pixel(50, 50).slice(0, 3)).toEqual([255, 0, 0]);
      expect(hasColour(picture, COLOUR.blue)).toBe(true);
      expect(hasColour(picture, COLOUR.green)).toBe(true);
    });

    it('but keeps the fallback content of an object', async () => {
      const html_content = `<body style="margin: 0"><object data="${at('ads', '/frame')}" type="text/html">${BLUE_BOX}</object>`;

      const picture = await shot({ html_content, block_ads: true });

      expect(picture.pixel(10, 10).slice(0, 3)).toEqual([0, 0, 255]);
    });

    it('but keeps the space of an element if only its kind is blocked', async () => {
      const picture = await shot({
        html_content: `<body style="margin: 0"><img src="${site.url(GREEN)}" width="300" height="200" alt="other text">${BLUE_BOX}`,
        block_resources: ['image'],
      });

      expect(picture.pixel(10, 10).slice(0, 3)).toEqual([255, 255, 255]);
      expect(picture.pixel(10, 230).slice(0, 3)).toEqual([0, 0, 255]);
    });
  });
});

/** Returns a boolean, because printing a list of differing pixels takes minutes. */
function isSame(a: Picture, b: Picture): boolean {
  return Buffer.compare(a.rgba, b.rgba) === 0;
}

function hasColour({ rgba }: Picture, [red, green, blue]: readonly number[]): boolean {
  for (let at = 0; at < rgba.length; at += 4)
    if (rgba[at] === red && rgba[at + 1] === green && rgba[at + 2] === blue) return true;
  return false;
}

function routes(): Routes {
  const ad = `http://${HOSTS.ads}`;
  const adAt = (host: string | undefined, path: string): string => `${ad}:${host?.split(':')[1] ?? ''}${path}`;
  return {
    '/report/*': ({ response, rest }) => send(response, { type: 'text/javascript', body: `reported('${rest}')` }),
    '/own': ({ request, response }) =>
      sendHtml(
        response,
        `<html>${REPORTS}<script src="/report/own"></script><script src="${adAt(request.headers.host, '/report/ads')}"></script></html>`,
      ),
    '/to-own': ({ request, response }) => {
      const [, port] = request.headers.host?.split(':') ?? [];
      response.writeHead(302, { location: `http://${HOSTS.trackers}:${port}/own` }).end();
    },
    '/script-to-own': ({ request, response }) => {
      const [, port] = request.headers.host?.split(':') ?? [];
      sendHtml(response, `<script>location = 'http://${HOSTS.trackers}:${port}/own'</script>`);
    },
    '/to-ad': ({ request, response }) => {
      response.writeHead(302, { location: adAt(request.headers.host, '/x.png') }).end();
    },
    '/redirect': ({ url, response }) => {
      response.writeHead(302, { location: url.searchParams.get('to') ?? '' }).end();
    },
    '/frame': ({ response }) => sendHtml(response, '<body style="background: red">ad'),
    '/empty-frame': ({ response }) => sendHtml(response, '<body>'),
    '/frame-of-ads': ({ request, response }) => {
      // The other origin has another port; all names resolve to this machine.
      sendHtml(
        response,
        `<body><script src="${adAt(request.headers.host, '/x.js')}"></script><iframe src="${adAt(request.headers.host, '/frame')}"></iframe><img alt="other text" src="${adAt(request.headers.host, '/x.png')}">`,
      );
    },
    '/worker-page': ({ url, response }) =>
      sendHtml(response, `<script>new ${url.search.slice(1)}('/worker.js');</script>`),
    '/worker.js': ({ request, response }) =>
      send(response, {
        type: 'text/javascript',
        body: `fetch('${adAt(request.headers.host, '/x')}').catch(() => {}); new WebSocket('${adAt(request.headers.host, '/x').replace('http', 'ws')}');`,
      }),
    '/kinds': ({ response }) =>
      sendHtml(
        response,
        `<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="/kind/stylesheet">
        <style>@font-face { font-family: F; src: url(/kind/font) } p { font-family: F }</style><p>text</p>
        <img src="/kind/image"><video src="/kind/media"></video><script src="/kind/script"></script><iframe src="/kind/iframe"></iframe>
        <video><track default src="/kind/track"></video>
        <script>
          document.querySelector('video track').track.mode = 'showing';
          const request = new XMLHttpRequest(); request.open('GET', '/kind/xhr'); request.send();
          fetch('/kind/fetch').catch(() => {}); navigator.sendBeacon('/kind/beacon', 'x');
          new EventSource('/kind/events').onerror = ({ target }) => target.close();
          new WebSocket('ws://' + location.host + '/kind/websocket'); new Worker('/kind/worker');
        </script>`,
      ),
    '/kind/worker': ({ response }) =>
      send(response, { type: 'text/javascript', body: `fetch('/kind/worker-fetch').catch(() => {})` }),
    '/kind/*': ({ response }) => send(response, { type: 'text/plain', body: '' }),
  };
}
