import { documentOf, type HostileCase, redirectTo, scriptPage } from '../hostile-case.ts';

const NOT_ALLOWED = '400 DestinationNotAllowedError';
const NO_PAGE = '500 NavigationError';
const IDLE: HostileCase['requests'] = ({ site }) => [{ url: site, wait_for_network: 'idle' }];

export const REDIRECT_CASES: readonly HostileCase[] = [
  {
    id: 'N01',
    title: 'every kind of HTTP redirect to loopback',
    isCore: true,
    pages: ({ canary }) =>
      Object.fromEntries([301, 302, 303, 307, 308].map((status) => [`${status}`, redirectTo(canary, status)])),
    requests: ({ site }) => [301, 302, 303, 307, 308].map((status) => ({ url: `${site}${status}` })),
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N01a',
    title: 'a redirect to metadata, to a private name, to other spellings',
    pages: ({ port }) => ({
      metadata: redirectTo('http://169.254.169.254/latest/meta-data/'),
      name: redirectTo('http://metadata.google.internal/'),
      localhost: redirectTo(`http://localhost:${port}/`),
      decimal: redirectTo(`http://2130706433:${port}/`),
      mapped: redirectTo(`http://[::ffff:127.0.0.1]:${port}/`),
      v6: redirectTo(`http://[::1]:${port}/`),
      user: redirectTo(`http://site.example.net@127.0.0.1:${port}/`),
      'scheme-relative': redirectTo(`//127.0.0.1:${port}/`),
      'refresh-header': (_request, response) => {
        response.writeHead(200, { refresh: `0; url=http://127.0.0.1:${port}/`, 'content-type': 'text/html' }).end('x');
      },
    }),
    requests: ({ site }) =>
      ['metadata', 'name', 'localhost', 'decimal', 'mapped', 'v6', 'user', 'scheme-relative', 'refresh-header'].map(
        (path) => ({
          url: `${site}${path}`,
        }),
      ),
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N02',
    title: 'five redirects between sites, then to loopback',
    isCore: true,
    pages: ({ site, other, canary }) => ({
      '': redirectTo(`${other}1`),
      '1': redirectTo(`${site}2`),
      '2': redirectTo(`${other}3`),
      '3': redirectTo(`${site}4`),
      '4': redirectTo(canary),
    }),
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N02a',
    title: 'a redirect to an allowed name, then to a name that resolves to loopback',
    names: { 'inner.example.net': () => ({ addresses: ['127.0.0.1'] }) },
    pages: ({ port }) => ({ '': redirectTo(`http://inner.example.net:${port}/`) }),
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N03',
    title: 'a redirect loop',
    pages: ({ site }) => ({ '': redirectTo(site) }),
    outcomes: [NO_PAGE],
  },
  {
    id: 'N04',
    title: 'a redirect to an address with another scheme',
    isCore: true,
    pages: () => ({
      file: redirectTo('file:///etc/passwd'),
      data: redirectTo('data:text/html,<h1>x</h1>'),
      chrome: redirectTo('chrome://version'),
      script: redirectTo('javascript:alert(1)'),
      blank: redirectTo('about:blank'),
      source: redirectTo('view-source:file:///etc/passwd'),
    }),
    requests: ({ site }) =>
      ['file', 'data', 'chrome', 'script', 'blank', 'source'].map((path) => ({ url: `${site}${path}` })),
    outcomes: [NO_PAGE],
  },
  {
    id: 'N05',
    title: 'a meta refresh to loopback',
    isCore: true,
    pages: ({ canary }) => ({
      '': documentOf('x', `<meta http-equiv="refresh" content="0; url=${canary}">`),
    }),
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N05a',
    title: 'a meta refresh that a script adds shortly after load',
    pages: ({ canary }) => ({
      '': scriptPage(`onload = () => setTimeout(() => {
  document.head.innerHTML += '<meta http-equiv="refresh" content="0; url=${canary}">';
}, 200);`),
    }),
    requests: IDLE,
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N06',
    title: 'a script that navigates to loopback, during load and shortly after (CVE-2026-44439)',
    isCore: true,
    pages: ({ canary }) => ({
      during: scriptPage(`location = '${canary}';`),
      'at-load': scriptPage(`onload = () => { location = '${canary}'; };`),
      after: scriptPage(`onload = () => setTimeout(() => { location = '${canary}'; }, 200);`),
      metadata: scriptPage(
        `onload = () => setTimeout(() => { location.href = 'http://169.254.169.254/latest/'; }, 200);`,
      ),
      form: documentOf(
        `<form id="f" method="post" action="${canary}"><input name="a" value="b"></form><script>onload = () => setTimeout(() => f.submit(), 200);</script>`,
      ),
    }),
    requests: ({ site }) =>
      ['during', 'at-load', 'after', 'metadata', 'form'].map((path) => ({
        url: `${site}${path}`,
        wait_for_network: 'idle',
      })),
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N06a',
    title: 'supplied markup that navigates to loopback',
    isCore: true,
    requests: ({ canary }) => [
      { html_content: `<script>location = '${canary}'</script>` },
      { html_content: `<meta http-equiv="refresh" content="0; url=${canary}">` },
      {
        html_content: `<script>onload = () => setTimeout(() => { location = '${canary}' }, 200)</script>`,
        wait_for_network: 'idle',
      },
    ],
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N07',
    title: 'a script that replaces the document and then navigates to loopback',
    pages: ({ canary }) => ({
      '': scriptPage(
        `onload = () => { document.open(); document.write('<script>location = "${canary}"<\\/script>'); document.close(); };`,
      ),
    }),
    requests: IDLE,
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N08',
    title: 'history.back() to a page that now redirects to loopback',
    pages: ({ canary, site }) => {
      let visits = 0;
      return {
        '': (request, response) => {
          visits++;
          if (visits > 1) redirectTo(canary)(request, response);
          else {
            response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
            response.end(scriptPage(`onload = () => setTimeout(() => { location = '${site}next'; }, 50);`));
          }
        },
        next: scriptPage('onload = () => setTimeout(() => history.back(), 50); onunload = () => {};'),
      };
    },
    requests: IDLE,
    outcomes: [NOT_ALLOWED],
  },
  {
    id: 'N09a',
    title: 'a frame that navigates the whole window to loopback',
    pages: ({ canary, other }) => ({
      '': documentOf(`<iframe src="${other}frame"></iframe>`),
      frame: scriptPage(`top.location = '${canary}';`),
    }),
    requests: IDLE,
    // Without a click, Chrome allows this for a cross-origin frame only before it has another document.
    outcomes: [NOT_ALLOWED, '200'],
    blocked: 'any',
  },
];
