import { expect } from 'vitest';
import {
  type CaseAnswer,
  documentOf,
  type Evidence,
  type Handler,
  type HostileCase,
  type Scene,
  scriptPage,
} from '../hostile-case.ts';

/**
 * Returns a case whose page uses a channel to the canary. The capture continues and reports the number of refused
 * connections.
 */
function channel(
  id: string,
  title: string,
  page: (scene: Scene) => string,
  more: Pick<HostileCase, 'isCore' | 'verify' | 'blocked'> & { readonly pages?: HostileCase['pages'] } = {},
): HostileCase {
  const { pages, ...rest } = more;
  return {
    id,
    title,
    pages: (scene) => ({ '': page(scene), ...pages?.(scene) }),
    requests: ({ site }) => [{ url: site, wait_for_network: 'idle' }],
    blocked: 1,
    ...rest,
  };
}

const sendScript =
  (body: string): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-store' }).end(body);
  };

export const CHANNEL_CASES: readonly HostileCase[] = [
  channel(
    'N09',
    'pictures, styles, scripts, fonts, media, tracks',
    ({ canary }) =>
      documentOf(
        `<img src="${canary}i"><picture><source srcset="${canary}s"><img></picture><div style="background:url(${canary}b)">x</div>
<script src="${canary}j"></script><video src="${canary}v" autoplay muted></video><audio src="${canary}a" autoplay></audio>
<video poster="${canary}p"><track default src="${canary}t"></video><svg><image href="${canary}g"/><use href="${canary}u#x"/></svg><p style="font-family:F">x</p>`,
        `<link rel="stylesheet" href="${canary}c"><style>@import url(${canary}d); @font-face { font-family: F; src: url(${canary}f) }</style>`,
      ),
    { isCore: true },
  ),
  channel(
    'N10',
    'frames: plain, srcdoc, nested, in a shadow tree, object and embed',
    ({ canary }) =>
      documentOf(`<iframe src="${canary}"></iframe><iframe srcdoc="<img src='${canary}s'><iframe src='${canary}n'></iframe>"></iframe>
<object data="${canary}o"></object><embed src="${canary}e"><div id="host"></div><frameset><frame src="${canary}f"></frameset>
<script>host.attachShadow({ mode: 'closed' }).innerHTML = '<iframe src="${canary}shadow"></iframe>';</script>`),
    { isCore: true },
  ),
  channel(
    'N11',
    'fetch, XHR, beacon, and keepalive requests',
    ({ canary }) =>
      scriptPage(`fetch('${canary}f', { mode: 'no-cors' }).catch(() => {});
const x = new XMLHttpRequest(); x.open('POST', '${canary}x'); x.send('a');
navigator.sendBeacon('${canary}b', 'a');
fetch('${canary}k', { method: 'POST', body: 'a', keepalive: true, mode: 'no-cors' }).catch(() => {});
addEventListener('pagehide', () => navigator.sendBeacon('${canary}hide', 'a'));
addEventListener('unload', () => fetch('${canary}un', { keepalive: true, mode: 'no-cors' }));
document.addEventListener('visibilitychange', () => navigator.sendBeacon('${canary}vis', 'a'));`),
    { isCore: true },
  ),
  channel('N12', 'server-sent events', ({ canary }) => scriptPage(`new EventSource('${canary}e');`)),
  channel(
    'N13',
    'WebSockets, from the page and from a worker',
    ({ port }) =>
      scriptPage(`const connect = (url) => { try { new WebSocket(url); } catch {} };
for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', 'localhost', '0.0.0.0']) {
  connect('ws://' + host + ':${port}/'); connect('wss://' + host + ':${port}/');
}
const source = 'new WebSocket("ws://127.0.0.1:${port}/worker")';
new Worker(URL.createObjectURL(new Blob([source])));`),
    { isCore: true },
  ),
  channel(
    'N15',
    'workers: importScripts, modules, shared workers, WebAssembly',
    ({ canary }) =>
      scriptPage(`const url = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
new Worker(url("importScripts('${canary}i')"));
new Worker(url("import '${canary}m'"), { type: 'module' });
new Worker(url("fetch('${canary}w', { mode: 'no-cors' })"));
new SharedWorker(url("fetch('${canary}s', { mode: 'no-cors' })"));
import('${canary}d').catch(() => {});
WebAssembly.instantiateStreaming(fetch('${canary}a')).catch(() => {});`),
    { isCore: true },
  ),
  channel(
    'N16',
    'hints: preconnect, dns-prefetch, prefetch, preload, modulepreload, prerender, speculation rules',
    ({ canary, port }) =>
      documentOf(
        `<img src="${canary}counted"><script type="speculationrules">{"prefetch":[{"source":"list","urls":["${canary}p1","http://localhost:${port}/p2"],"eagerness":"immediate"}],"prerender":[{"source":"list","urls":["${canary}p3"],"eagerness":"immediate"}]}</script>`,
        ['preconnect', 'dns-prefetch', 'prefetch', 'preload" as="image', 'modulepreload', 'prerender']
          .flatMap((rel) =>
            [canary, `http://localhost:${port}/`, 'http://hint.internal/'].map(
              (href) => `<link rel="${rel}" href="${href}">`,
            ),
          )
          .join(''),
      ),
    {
      isCore: true,
      verify: expectNoQueries,
    },
  ),
  channel(
    'N18',
    'WebRTC: host, STUN and TURN candidates over UDP and TCP',
    ({ port, canary }) =>
      scriptPage(`new Image().src = '${canary}counted';
const urls = ['127.0.0.1', '[::1]'].flatMap((host) => ['stun:' + host + ':${port}', 'turn:' + host + ':${port}?transport=udp', 'turn:' + host + ':${port}?transport=tcp']);
const pc = new RTCPeerConnection({ iceServers: [{ urls, username: 'a', credential: 'b' }] });
pc.createDataChannel('x');
pc.createOffer().then((offer) => pc.setLocalDescription(offer));
fetch('slow');`),
    {
      isCore: true,
      pages: () => ({
        slow: (_request, response) => {
          setTimeout(() => response.end('x'), 1_500); // while ICE candidates are gathered
        },
      }),
    },
  ),
  channel('N19', 'WebTransport', ({ port, canary }) =>
    scriptPage(`new Image().src = '${canary}counted';
try { const t = new WebTransport('https://127.0.0.1:${port}/'); t.ready.catch(() => {}); t.closed.catch(() => {}); } catch {}`),
  ),
  channel(
    'N20',
    'icons and manifests',
    ({ canary }) =>
      documentOf(
        'x',
        `<link rel="icon" href="${canary}i"><link rel="apple-touch-icon" href="${canary}a"><link rel="manifest" href="${canary}m"><link rel="search" type="application/opensearchdescription+xml" href="${canary}o">`,
      ),
    { blocked: 'any' },
  ),
  {
    id: 'N22',
    title: 'supplied markup with file: addresses in every attribute',
    isCore: true,
    requests: () =>
      [
        '<base href="file:///"><iframe src="etc/passwd"></iframe><img src="etc/hostname">',
        '<iframe src="file:///etc/passwd"></iframe><object data="file:///etc/passwd"></object><embed src="file:///etc/passwd">',
        '<iframe src="\\\\localhost\\etc\\passwd"></iframe><iframe src="view-source:file:///etc/passwd"></iframe>',
        '<link rel="stylesheet" href="file:///etc/passwd"><script src="file:///etc/passwd"></script>',
        `<script>fetch('file:///etc/passwd').then((r) => r.text()).then((t) => { document.body.textContent = t; });
const x = new XMLHttpRequest(); x.onload = () => { document.body.textContent = x.responseText; }; x.open('GET', 'file:///etc/passwd'); x.send();
window.open('file:///etc/passwd'); location = 'file:///etc/passwd';</script>`,
      ].flatMap((html_content) => [
        { html_content, format: 'html', wait_for_network: 'idle' },
        { html_content, format: 'pdf' },
      ]),
    verify: ({ answers }) => {
      for (const { body } of answers) expect(body.toString('latin1')).not.toContain('root:');
    },
  },
  {
    id: 'N23',
    title: 'supplied markup with a private base address',
    requests: ({ canary }) => [
      { html_content: `<base href="${canary}"><img src="x"><link rel="stylesheet" href="y">` },
    ],
    blocked: 1,
  },
  {
    id: 'N25',
    title: 'HTTP/2 connections shared with an internal name',
    notApplicable:
      'Chrome shares connections only with a certificate for both names, and every new connection is checked',
  },
  channel(
    'N27',
    'the name for automatic proxy discovery (WPAD)',
    ({ canary }) => documentOf(`<img src="${canary}counted">`),
    { verify: expectNoQueries },
  ),
  {
    id: 'N30',
    title: 'state from the previous capture: cookies, storage, cache, service workers, HTTP authentication',
    isCore: true,
    pages: () => ({
      '': scriptPage(`const { dataset } = document.documentElement;
dataset.seen = [document.cookie, localStorage.getItem('a'), sessionStorage.getItem('a'), name].map((each) => each || '').join('');
document.cookie = 'a=left; max-age=999'; localStorage.setItem('a', 'left'); sessionStorage.setItem('a', 'left'); name = 'left';
caches?.keys?.().then((keys) => { dataset.caches = keys.length; return caches.open('left'); });
navigator.serviceWorker?.register('worker');
fetch('cached').then((r) => r.text()).then((t) => { dataset.cached = t; });`),
      worker: sendScript('addEventListener("fetch", () => {});'),
      cached: (() => {
        let count = 0;
        const answer: Handler = (_request, response) => {
          response.writeHead(200, { 'cache-control': 'public, max-age=99999', 'content-type': 'text/plain' });
          response.end(`answer-${++count}`);
        };
        return answer;
      })(),
    }),
    requests: ({ site }) => [1, 2].map(() => ({ url: site, format: 'html', wait_for_network: 'idle' })),
    verify: ({ answers }) => {
      expect(answers.map(sourceOf)).toEqual([
        expect.stringMatching(/data-seen="".*data-cached="answer-1"/),
        expect.stringMatching(/data-seen="".*data-cached="answer-2"/),
      ]);
    },
  },
  channel(
    'N31',
    'a request to another site that redirects to the canary',
    ({ site }) => documentOf(`<img src="${site}r"><script src="${site}r"></script><iframe src="${site}r"></iframe>`),
    {
      isCore: true,
      pages: ({ canary }) => ({
        r: (_request, response) => response.writeHead(302, { location: canary }).end(),
      }),
    },
  ),
];

function expectNoQueries({ queries }: Evidence): void {
  expect(queries).toEqual([]);
}

function sourceOf({ body }: CaseAnswer): string {
  return body.toString();
}
