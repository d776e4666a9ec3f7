import { documentOf, type HostileCase } from '../hostile-case.ts';

/** None of these addresses is a web page. */
function invalid(id: string, title: string, urls: readonly string[], isCore = false): HostileCase {
  return {
    id,
    title,
    isCore,
    requests: () => urls.map((url) => ({ url })),
    outcomes: ['400 ValidationError'],
  };
}

export const SCHEME_CASES: readonly HostileCase[] = [
  {
    id: 'S31',
    title: 'a fragment that looks like a host',
    isCore: true,
    requests: ({ port }) => [
      { url: `http://127.0.0.1:${port}#@site.example.net/` },
      { url: `http://127.0.0.1:${port}?@site.example.net/` },
      { url: `http://127.0.0.1:${port}\\@site.example.net/` },
    ],
    outcomes: ['400 DestinationNotAllowedError'],
  },
  {
    id: 'S31a',
    title: 'a backslash: every part of the service takes the text before it as the host',
    isCore: true,
    pages: () => ({ '': documentOf('public') }),
    requests: ({ port }) => [{ url: `http://site.example.net:${port}\\S31a/?\\@127.0.0.1:${port}/`, format: 'html' }],
    outcomes: ['200'],
  },
  invalid('S32', 'tabs and line breaks inside the address', [
    'ht\ntp://127.0.0.1/',
    'http://127.0\t.0.1/',
    'http://127.0.0.1\r\n/',
    '\u0001http://127.0.0.1/',
    'http://127.0.0.1/\u0000',
    'http://127.0.0.1/\u007f',
  ]),
  {
    id: 'S34',
    title: 'schemes in capitals and without slashes',
    requests: () =>
      ['HTTP://169.254.169.254/', 'hTTp:169.254.169.254', 'http:\\\\169.254.169.254'].map((url) => ({ url })),
    outcomes: ['400 DestinationNotAllowedError'],
  },
  invalid('S35', 'relative addresses, and values that are not text', [
    '//127.0.0.1/',
    '/etc/passwd',
    'etc/passwd',
    '',
    ' ',
    'http://',
    'http:///',
    'http://[',
    'http://a b/',
    'http://127.0.0.1/\ud800',
    `http://site.example.net/${'a'.repeat(8_192)}`,
    'http://%00/',
    'http://127.0.0.256/',
    'http://0x100000000/',
    'http://1.2.3.4.5/',
  ]),
  invalid('S36', 'invalid ports', [
    'http://site.example.net:65536/',
    'http://site.example.net:-1/',
    'http://site.example.net:http/',
  ]),
  {
    id: 'S36a',
    title: 'ports that browsers block',
    requests: () => [0, 22, 25].map((port) => ({ url: `http://127.0.0.2:${port}/` })),
    outcomes: ['500 NavigationError'],
  },
  invalid(
    'S37',
    'file: addresses',
    ['file:///etc/passwd', 'FILE:///etc/passwd', 'file://localhost/etc/passwd', 'file:/etc/passwd', 'file:etc'],
    true,
  ),
  invalid('S38', 'view-source: addresses', [
    'view-source:http://127.0.0.1/',
    'view-source:view-source:file:///etc/passwd',
    'view-source:file:///etc',
  ]),
  invalid(
    'S39',
    'internal pages of the browser',
    [
      'chrome://version',
      'chrome://crash',
      'chrome-untrusted://print',
      'devtools://devtools/bundled/inspector.html',
      'about:blank',
      'about:srcdoc',
      'chrome-extension://abcdefghijklmnopabcdefghijklmnop/x.html',
      'isolated-app://x/',
    ],
    true,
  ),
  invalid('S40', 'data:, javascript: and similar addresses', [
    'data:text/html,<h1>x</h1>',
    'javascript:alert(1)',
    'blob:http://127.0.0.1/x',
    'filesystem:http://127.0.0.1/temporary/x',
  ]),
  invalid('S43', 'other protocols', [
    'ftp://127.0.0.1/',
    'ws://127.0.0.1/',
    'wss://127.0.0.1/',
    'mailto:a@example.net',
    'gopher://127.0.0.1:70/',
    'dict://127.0.0.1/',
    'ldap://127.0.0.1/',
    'jar:http://127.0.0.1!/',
  ]),
  {
    id: 'S45a',
    title: 'empty text',
    requests: () => [
      { url: 1 },
      { url: null },
      { url: ['http://127.0.0.1/'] },
      { url: { href: 'http://127.0.0.1/' } },
      { url: true },
    ],
    outcomes: ['400 ValidationError'],
  },
];
