import { expect } from 'vitest';
import { documentOf, type Evidence, type HostileCase, redirectTo, scriptPage } from '../hostile-case.ts';

const AD = 'cdn.taboola.com';
const ALL = { block_ads: true, block_trackers: true, block_chats: true, block_socials: true };
const SITE = '127.0.0.2';
const CANARY = '127.0.0.1';

/** Returns X-Filtered-Requests of the first answer. */
function filteredOf({ answers }: Evidence): number {
  const [answer] = answers;
  return answer?.headers instanceof Headers ? Number(answer.headers.get('x-filtered-requests')) : -1;
}

export const BLOCKED_REQUESTS_CASES: readonly HostileCase[] = [
  {
    id: 'K1',
    title: 'more blocked hosts than allowed connections, then a picture of the page’s own site',
    pages: () => ({
      '': scriptPage(
        `for (let n = 0; n < 1_200; n++) new Image().src = 'http://n' + n + '.doubleclick.net/';
onload = () => { const own = new Image(); own.src = 'own'; document.body.append(own); };`,
      ),
    }),
    requests: ({ site }) => [{ url: site, ...ALL }],
    verify: (evidence) => {
      expect(filteredOf(evidence)).toBe(1_200);
      expect(evidence.queries).toEqual([]);
      expect(evidence.requested.filter((path) => path.endsWith('own'))).toHaveLength(1);
    },
  },
  {
    id: 'K2',
    title: 'endless connections to one blocked host, by requests, sockets and workers',
    pages: () => ({
      '': scriptPage(`const code = "const again = () => fetch('https://${AD}/').catch(() => setTimeout(again)); for (let n = 0; n < 8; n++) again();";
new Worker(URL.createObjectURL(new Blob([code]))); eval(code);
const connect = () => { new WebSocket('wss://${AD}/').onclose = () => setTimeout(connect); }; connect();`),
    }),
    requests: ({ site }) => [{ url: site, ...ALL }],
    verify: (evidence) => expect(filteredOf(evidence)).toBeGreaterThan(0),
  },
  {
    id: 'K3',
    title: 'another site that imitates the page’s own site',
    isCore: true,
    pages: ({ port }) => ({
      '': documentOf(
        [
          `http://${AD}:${port}`,
          `http://site.example.net@${AD}:${port}`,
          `http://${AD}.:${port}`,
          `http://CDN.TABOOLA.com:${port}`,
        ]
          .map((origin, index) => `<img src="${origin}/${index}?site.example.net#site.example.net">`)
          .join(''),
      ),
    }),
    names: { [AD]: () => ({ addresses: [SITE] }), [`${AD}.example.net`]: () => ({ addresses: [SITE] }) },
    // The name of the page begins with the name of the host; its path and fragment contain it, too.
    requests: ({ port }) => [{ url: `http://${AD}.example.net:${port}/K3/?${AD}#${AD}`, ...ALL }],
    verify: (evidence) => {
      expect(filteredOf(evidence)).toBe(3); // Chrome itself sends no request for a subresource with credentials
      expect(evidence.queries).toEqual([`A ${AD}.example.net`]);
    },
  },
  {
    id: 'K4',
    title: 'a blocked private host: no DNS query, and no error that mentions it',
    isCore: true,
    pages: ({ port }) => ({
      '': documentOf(`<img src="http://${AD}:${port}/"><iframe src="http://${AD}:${port}/"></iframe>`),
    }),
    names: { [AD]: () => ({ addresses: [CANARY] }) },
    requests: ({ site }) => [{ url: site, ...ALL }],
    verify: (evidence) => {
      expect(filteredOf(evidence)).toBe(2);
      expect(evidence.queries).toEqual([]);
    },
  },
  {
    id: 'K5',
    title: 'a redirect of the page to a blocked private host',
    isCore: true,
    pages: ({ port }) => ({ '': redirectTo(`http://${AD}:${port}/`) }),
    names: { [AD]: () => ({ addresses: [CANARY] }) },
    requests: ({ site }) => [{ url: site, ...ALL }],
    outcomes: ['400 DestinationNotAllowedError'],
  },
  {
    id: 'K6',
    title: 'a hundred patterns with a thousand stars, and long addresses that almost match',
    isCore: true,
    pages: () => ({
      '': scriptPage("for (let n = 0; n < 50; n++) new Image().src = 'a'.repeat(8_000) + n;"),
      ['a'.repeat(8_000)]: '',
    }),
    requests: ({ site }) => [
      {
        url: site,
        block_requests: Array.from({ length: 100 }, (_, index) => `${'*a'.repeat(1_000)}*${index}b`),
      },
    ],
  },
  {
    id: 'K7',
    title: 'a page that shows hidden elements again and overrides built-ins',
    isCore: true,
    pages: ({ port }) => ({
      '': scriptPage(`CSSStyleDeclaration.prototype.setProperty = () => { while (true); };
Element.prototype.querySelectorAll = Document.prototype.querySelectorAll = () => { while (true); };
Map = Array.prototype.map = Reflect.get = undefined;
document.body.insertAdjacentHTML('beforeend', '<img id="i" alt="x" src="http://${AD}:${port}/"><iframe src="http://${AD}:${port}/"></iframe>');
new MutationObserver((records) => { for (const { target } of records) target.removeAttribute('style'); }).observe(document, { subtree: true, attributes: true, attributeFilter: ['style'] });`),
    }),
    requests: ({ site }) => [{ url: site, ...ALL }],
    verify: (evidence) => expect(filteredOf(evidence)).toBe(2),
  },
  {
    id: 'K8',
    title: 'a page that navigates to a blocked host and back endlessly',
    pages: ({ port, site }) => ({
      '': scriptPage(`location = 'http://${AD}:${port}/K8/back';`),
      back: scriptPage(`location = '${site}';`),
    }),
    names: { [AD]: () => ({ addresses: [SITE] }) },
    requests: ({ site }) => [{ url: site, ...ALL }],
    verify: (evidence) => {
      expect(filteredOf(evidence)).toBe(0);
      expect(evidence.requested.filter((path) => path.endsWith('back')).length).toBeGreaterThan(5);
    },
  },
];
