import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import {
  documentOf,
  type Evidence,
  type Handler,
  type HostileCase,
  redirectTo,
  type Scene,
  scriptPage,
} from '../hostile-case.ts';
import { callAs, callsAs, capturesAs, follow, linkOf, toolCall } from '../keyed-world.ts';

const NOT_ALLOWED = '400 DestinationNotAllowedError';

/** Pages that leave the key's only site, and the markup or script that does it. */
interface Exits {
  readonly [path: string]: string | Handler;
}

/**
 * Returns a case in which the key `narrow` captures pages and markup that try to reach `/out` on another site. The
 * service may reach that site, the key may not.
 */
function exits(
  id: string,
  title: string,
  pages: (out: string, scene: Scene) => Exits,
  more: Pick<HostileCase, 'outcomes' | 'blocked'>,
): HostileCase {
  const pagesOf = (scene: Scene): Exits => pages(`${scene.other}out`, scene);
  return {
    id,
    title,
    ...more,
    pages: (scene) => ({ ...pagesOf(scene), out: 'reached' }),
    requests: (scene) => {
      const given = Object.entries(pagesOf(scene)).flatMap(([path, page]) => {
        const byAddress = { url: `${scene.site}${path}`, wait_for_network: 'idle' };
        return typeof page === 'string' ? [byAddress, { html_content: page, wait_for_network: 'idle' }] : [byAddress];
      });
      return capturesAs(scene, 'narrow', given);
    },
    verify: expectNotReached,
  };
}

function expectNotReached({ requested }: Pick<Evidence, 'requested'>): void {
  expect(requested.filter((path) => path.includes('out'))).toEqual([]);
}

export const EGRESS_OF_KEYS_CASES: readonly HostileCase[] = [
  {
    id: 'Y20',
    title: 'a key with one site: other addresses and names, in other spellings, in links and in actions',
    outcomes: [NOT_ALLOWED],
    names: { 'mixed.example.net': () => ({ addresses: ['127.0.0.2', '127.0.0.3'] }) },
    pages: () => ({ out: 'reached' }),
    requests: (scene) => {
      const { other, site, port, canary } = scene;
      const hosts = [
        'other.example.net',
        'OTHER.example.net.',
        'mixed.example.net',
        '127.0.0.3.',
        '0x7f000003',
        '2130706435',
        '127.3',
        '[::ffff:127.0.0.3]',
        '127.0.0.2@127.0.0.3',
      ];
      return [
        ...capturesAs(
          scene,
          'narrow',
          [`${other}out`, canary, ...hosts.map((host) => `http://${host}:${port}/Y20/out`)].map((url) => ({
            url,
          })),
        ),
        ...capturesAs(scene, 'narrow', [{ url: site, actions: [{ type: 'goto', url: `${other}out` }] }]),
        ...follow(scene, [linkOf('narrow', { url: `${other}out` })]),
        // The token decides, also beside a link of a key that may go there.
        ...callsAs(scene, 'narrow', [[`/capture?${linkOf('shop', { url: `${other}out` })}`]]),
      ];
    },
    verify: expectNotReached,
  },
  exits(
    'Y21',
    'a key with one site: redirects and pages that go to another site',
    (out) => ({
      ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [`moved-${status}`, redirectTo(out, status)])),
      refresh: documentOf('x', `<meta http-equiv="refresh" content="0; url=${out}">`),
      script: scriptPage(`location = '${out}';`),
      later: scriptPage(`onload = () => setTimeout(() => { location.href = '${out}'; }, 100);`),
      form: documentOf(
        `<form id="f" method="post" action="${out}"><input name="a"></form><script>onload = () => f.submit();</script>`,
      ),
    }),
    { outcomes: [NOT_ALLOWED] },
  ),
  exits(
    'Y22',
    'a key with one site: frames, pictures, styles, fetch, XHR, beacons, workers and WebSockets of another site',
    (out, { port }) => ({
      frames: documentOf(
        `<iframe src="${out}"></iframe><iframe srcdoc="<img src='${out}'>"></iframe><object data="${out}"></object>`,
      ),
      resources: documentOf(
        `<img src="${out}"><script src="${out}"></script><p style="background:url(${out})">x`,
        `<link rel="stylesheet" href="${out}">`,
      ),
      fetch: scriptPage(`fetch('${out}', { mode: 'no-cors' }).catch(() => {});
const x = new XMLHttpRequest(); x.open('POST', '${out}'); x.send('a'); navigator.sendBeacon('${out}', 'a');`),
      worker: scriptPage(`new Worker(URL.createObjectURL(new Blob(["fetch('${out}', { mode: 'no-cors' })"])));`),
      socket: scriptPage(`new WebSocket('ws://127.0.0.3:${port}/out');`),
    }),
    { blocked: 1 },
  ),
  exits(
    'Y23',
    'a key with one site: popups, links and forms that open another site in a new window',
    (out) => ({
      popup: scriptPage(`open('${out}'); open('about:blank').location = '${out}';`),
      link: documentOf(`<a id="a" target="_blank" href="${out}">a</a><script>onload = () => a.click();</script>`),
      form: documentOf(
        `<form id="f" target="_blank" action="${out}"></form><script>onload = () => f.submit();</script>`,
      ),
    }),
    { blocked: 'any' },
  ),
  {
    id: 'Y24',
    title: 'a key with one site: a client script and a style that load from another site',
    pages: () => ({ out: 'reached' }),
    requests: (scene) =>
      capturesAs(scene, 'narrow', [
        {
          html_content: 'x',
          custom_js: `await fetch('${scene.other}out', { mode: 'no-cors' }).catch(() => {})`,
        },
        { html_content: 'x', custom_css: `body { background: url(${scene.other}out) }` },
      ]),
    blocked: 1,
    verify: expectNotReached,
  },
  {
    id: 'Y25',
    title: 'a key with one site: a cached capture of another site, made by another key',
    outcomes: ['200', NOT_ALLOWED],
    pages: () => ({ cached: 'the other site' }),
    requests: (scene) => {
      const given = [{ url: `${scene.other}cached`, cache_ttl: 60 }];
      return [
        ...capturesAs(scene, 'shop', given),
        ...capturesAs(scene, 'narrow', given),
        ...capturesAs(scene, 'blog', given),
      ];
    },
    verify: ({ answers, requested }) => {
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 200]);
      expect(requested).toHaveLength(1); // so the capture was in the cache
    },
  },
  {
    id: 'Y25a',
    title: 'a key with one site: an equal capture of another key that is in flight',
    outcomes: ['200', NOT_ALLOWED],
    atOnce: true,
    pages: () => ({
      flight: (_request, response) => {
        setTimeout(() => response.end('the other site'), 500);
      },
    }),
    requests: (scene) => {
      const given = [{ url: `${scene.other}flight`, cache_ttl: 60 }];
      return [...capturesAs(scene, 'shop', given), ...capturesAs(scene, 'narrow', given)];
    },
    verify: ({ answers }) => expect(answers.map(({ status }) => status)).toEqual([200, 400]),
  },
  {
    id: 'Y26',
    title: 'a key with one site: jobs and tools that capture another site',
    outcomes: ['200', NOT_ALLOWED],
    pages: ({ other }) => ({ out: 'reached', moved: redirectTo(`${other}out`) }),
    requests: (scene) => {
      const urls = [`${scene.other}out`, `${scene.site}moved`];
      return urls.flatMap((url) => [
        async () => {
          const submitted = await callAs(scene, 'narrow', ['/jobs', { capture: { url } }]);
          const { id } = JSON.parse(submitted.body);
          if (id === undefined) return submitted; // refused at once
          return await eventually(async () => {
            const answer = await callAs(scene, 'narrow', [`/jobs/${id}`]);
            expect(JSON.parse(answer.body).state).toBe('failed');
            return answer;
          });
        },
        ...callsAs(scene, 'narrow', [toolCall('capture_page', { url }), toolCall('read_page', { url })]),
      ]);
    },
    verify: (evidence) => {
      expectNotReached(evidence);
      for (const { body } of evidence.answers) {
        expect(body.toString()).toMatch(/DestinationNotAllowedError|address of the page is not allowed/);
      }
    },
  },
];
