import { expect } from 'vitest';
import { documentOf, type HostileCase, scriptPage } from '../hostile-case.ts';

const PUBLIC = '127.0.0.2'; // counts as public here, because EGRESS_ALLOW names it
const PAGE = { '': documentOf('<p id="public">public</p>') };

/** Gives the host name of the case these DNS answers; the last one repeats. */
function leadsTo(id: string, addresses: readonly (readonly string[])[]): HostileCase['names'] {
  return {
    [`${id.toLowerCase()}.example.net`]: (queryNumber) => ({
      addresses: addresses[Math.min(queryNumber, addresses.length) - 1] ?? [],
    }),
  };
}

/** Requests the first page of the case by its host name. */
const byName: HostileCase['requests'] = ({ port, site }) => {
  const { pathname } = new URL(site);
  const name = pathname.replaceAll('/', '').toLowerCase();
  return [{ url: `http://${name}.example.net:${port}${pathname}`, format: 'html' }];
};

const NOT_ALLOWED = '400 DestinationNotAllowedError';

export const NAME_CASES: readonly HostileCase[] = [
  {
    id: 'S28',
    title: 'names of private networks: refused without a DNS query',
    isCore: true,
    requests: ({ port }) =>
      [
        'metadata.google.internal',
        'metadata.google.internal.',
        'METADATA.Google.Internal',
        'instance-data',
        'kubernetes.default.svc',
        'api.default.svc.cluster.local',
        'host.docker.internal',
        'printer.local',
        'router.lan',
        'redis',
        'wpad',
        'nas.home.arpa',
        'x.onion',
      ].map((host) => ({ url: `http://${host}:${port}/` })),
    outcomes: [NOT_ALLOWED],
    verify: ({ queries }) => expect(queries).toEqual([]),
  },
  {
    id: 'S44',
    title: 'a name that resolves to loopback',
    names: leadsTo('S44', [['127.0.0.1']]),
    requests: byName,
    outcomes: [NOT_ALLOWED],
    isCore: true,
  },
  {
    id: 'S44a',
    title: 'a name that resolves to the metadata address',
    names: leadsTo('S44a', [['169.254.169.254']]),
    requests: byName,
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'S45',
    title: 'a name with a public, then a private address',
    names: leadsTo('S45', [[PUBLIC, '127.0.0.1']]),
    requests: byName,
    outcomes: [NOT_ALLOWED],
    isCore: true,
  },
  {
    id: 'S45b',
    title: 'a name with a private, then a public address',
    names: leadsTo('S45b', [['127.0.0.1', PUBLIC]]),
    requests: byName,
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'S46',
    title: 'DNS rebinding within a capture: one query per name, whose answer is final',
    isCore: true,
    names: {
      ...leadsTo('S46', [[PUBLIC], ['127.0.0.1']]),
      'part.example.net': (queryNumber) => ({ addresses: [queryNumber === 1 ? PUBLIC : '127.0.0.1'] }),
    },
    pages: ({ port }) => ({
      '': (_request, response) => {
        // Without keep-alive, each request opens a new connection, which may resolve again.
        response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end(
          documentOf(`<p id="public">public</p><script>
  const ask = (host, n) => fetch('http://' + host + ':${port}/S46/part?' + n, { mode: 'no-cors', cache: 'no-store' });
  Promise.allSettled([1, 2, 3, 4].flatMap((n) => [ask('s46.example.net', n), ask('part.example.net', n)]))
    .then((all) => { document.documentElement.dataset.got = all.filter((one) => one.status === 'fulfilled').length; });
</script>`),
        );
      },
      part: (_request, response) => {
        response.writeHead(200, { connection: 'close', 'cache-control': 'no-store' }).end('part');
      },
    }),
    requests: ({ port }) => [{ url: `http://s46.example.net:${port}/S46/`, format: 'html', wait_for_network: 'idle' }],
    verify: ({ answers, queries }) => {
      expect(answers[0]?.body.toString()).toContain('data-got="8"');
      expect([...queries].sort()).toEqual(['A part.example.net', 'A s46.example.net']);
    },
  },
  {
    id: 'S47',
    title: 'DNS rebinding between captures',
    isCore: true,
    names: leadsTo('S47', [[PUBLIC], ['127.0.0.1']]),
    pages: () => PAGE,
    requests: (scene) => [...(byName?.(scene) ?? []), ...(byName?.(scene) ?? [])],
    outcomes: ['200', NOT_ALLOWED],
    verify: ({ answers, queries }) => {
      expect(answers.map(({ status }) => status)).toEqual([200, 400]);
      expect(queries).toEqual(['A s47.example.net', 'A s47.example.net']);
    },
  },
  {
    id: 'S48',
    title: 'a private address inside an IPv6 answer',
    names: { 's48.example.net': () => ({ addresses: ['::ffff:10.0.0.1', '2606:4700::1'] }) },
    requests: byName,
    // A machine without IPv6 sends no query for such addresses, so the name does not resolve.
    outcomes: [NOT_ALLOWED, '500 NavigationError'],
  },
  {
    id: 'S49',
    title: 'an alias of an internal name',
    names: { 's49.example.net': () => ({ alias: 'db.internal', addresses: ['10.0.0.1'] }) },
    requests: byName,
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'S50',
    title: 'names that do not resolve: NXDOMAIN, SERVFAIL, no address',
    isCore: true,
    names: { 'fails.example.net': () => ({ code: 2 }), 'empty.example.net': () => ({}) },
    requests: ({ port }) =>
      ['nowhere', 'fails', 'empty'].map((name) => ({ url: `http://${name}.example.net:${port}/` })),
    outcomes: ['500 NavigationError'],
    verify: ({ answers }) => {
      for (const { body } of answers) expect(body.toString()).toContain('its host name does not resolve');
    },
  },
  {
    id: 'S50a',
    title: 'a DNS server that never answers',
    names: { 'silent.example.net': () => ({ silent: true }) },
    requests: ({ port }) => [{ url: `http://silent.example.net:${port}/` }],
    outcomes: ['500 NavigationError'],
  },
  {
    id: 'S51',
    title: '200 addresses, the last one private: no unchecked address is connected to',
    names: leadsTo('S51', [[...Array.from({ length: 199 }, () => PUBLIC), '127.0.0.1']]),
    pages: () => PAGE,
    requests: byName,
    outcomes: ['200', NOT_ALLOWED],
  },
  {
    id: 'S52',
    title: '200 names without a DNS answer do not slow down another capture',
    names: Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`slow-${index}.example.net`, () => ({ silent: true })]),
    ),
    pages: ({ port }) => ({
      '': scriptPage(`for (let n = 0; n < 200; n++) new Image().src = 'http://slow-' + n + '.example.net:${port}/';`),
      quick: documentOf('quick'),
    }),
    requests: ({ port, site }) => [
      { url: site, wait_for_timeout: 4_000 },
      { url: `http://site.example.net:${port}/S52/quick` },
      { url: `http://other.example.net:${port}/S52/quick` },
    ],
    atOnce: true,
    outcomes: ['200', '500 TimeoutError'],
    verify: ({ answers }) => expect(answers.slice(1).map(({ status }) => status)).toEqual([200, 200]),
  },
  {
    id: 'S53',
    title: 'host names that are too long',
    requests: ({ port }) =>
      ['a'.repeat(300), `${'a'.repeat(64)}.net`, `${'a.'.repeat(140)}net`].map((host) => ({
        url: `http://${host}.example.net:${port}/`,
      })),
    outcomes: ['500 NavigationError', '400 ValidationError'],
    verify: ({ queries }) => expect(queries).toEqual([]),
  },
];
