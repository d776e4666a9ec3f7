import type { IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { documentOf, type Fields, type Handler, type HostileCase, redirectTo, scriptPage } from '../hostile-case.ts';

const INVALID = '400 ValidationError';
const TIMEOUT = '500 TimeoutError';
const SECRET = 'c0ffee-secret';

/** A server that requires a password and accepts none. */
const challenge: Handler = (request, response) => {
  const isIn = request.headers.authorization !== undefined;
  response.writeHead(isIn ? 200 : 401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="x"' }).end('x');
};

/** Adds each of these to an otherwise valid request. */
function invalidFields(id: string, title: string, given: readonly Fields[], isCore = false): HostileCase {
  return {
    id,
    title,
    isCore,
    pages: () => ({ '': documentOf('x') }),
    requests: ({ site }) => given.map((fields) => ({ url: site, ...fields })),
    outcomes: [INVALID],
  };
}

/** Returns a case with servers that record who sent the caller's secret, and where to. */
function leak(id: string, title: string, fields: Fields): HostileCase {
  const seen: string[] = [];
  const take = ({ headers, url }: IncomingMessage): void => {
    const brought = JSON.stringify(headers).includes(SECRET) || isSecretLogin(headers.authorization ?? '');
    if (brought) seen.push(`${headers.host} ${url}`);
  };
  const noted =
    (answer: Handler): Handler =>
    (request, response) => {
      take(request);
      answer(request, response);
    };
  return {
    id,
    title,
    isCore: true,
    pages: ({ other }) => ({
      '': noted((_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(documentOf(parts(other))),
      ),
      moved: noted(redirectTo(`${other}part`)),
      'moved-307': noted(redirectTo(`${other}part`, 307)),
      part: noted(challenge),
    }),
    requests: ({ site }) => ['', 'moved', 'moved-307'].map((path) => ({ url: `${site}${path}`, ...fields })),
    verify: ({ requested }) => {
      expect(requested.filter((path) => path.endsWith('part')).length).toBeGreaterThan(2);
      expect(seen.filter((request) => request.startsWith('127.0.0.3'))).toEqual([]);
      expect(seen.filter((request) => request.startsWith('127.0.0.2')).length, 'at home').toBeGreaterThan(0);
    },
  };
}

/** Returns a page that sends requests to the other site, and to its own, in many ways. */
function parts(other: string): string {
  return `<img src="part"><img src="${other}part"><iframe src="${other}part"></iframe><script src="${other}part"></script>
<script>fetch('${other}part', { mode: 'no-cors', credentials: 'include' }).catch(() => {}); new Worker(URL.createObjectURL(new Blob(["fetch('${other}part', { mode: 'no-cors', credentials: 'include' })"])));</script>`;
}

function isSecretLogin(value: string): boolean {
  return Buffer.from(value.replace(/^Basic /, ''), 'base64')
    .toString()
    .includes(SECRET);
}

export const OPTION_CASES: readonly HostileCase[] = [
  leak('N29', "the client's headers on another site: resources, frames, workers, redirects", {
    custom_headers: { Authorization: `Bearer ${SECRET}`, 'X-Key': SECRET },
  }),
  leak('N29a', "the client's cookies on another site", { cookies: [{ name: 'a', value: SECRET }] }),
  leak('N29b', "the client's password on another site that requests one", {
    http_auth: { username: 'u', password: SECRET },
  }),
  invalidFields(
    'A24',
    'header injection, and connection headers',
    [
      { 'X-A': 'b\r\nX-C: d' },
      { 'X-A\r\nX-C': 'd' },
      { 'X-A': 'b\0' },
      { Host: 'internal' },
      { 'content-LENGTH': '1' },
      { Connection: 'close' },
      { 'Proxy-Authorization': 'x' },
      { ':authority': 'internal' },
      { 'Transfer-Encoding': 'chunked' },
      { Cookie: 'a=b' },
      { '': 'x' },
      { 'X-A': 'x'.repeat(1_000_000) },
      Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`x-${index}`, 'x'])),
    ].map((custom_headers) => ({ custom_headers })),
    true,
  ),
  invalidFields(
    'A25',
    'cookies for other sites, invalid cookies, thousands of cookies',
    [
      [{ name: 'a', value: 'b', domain: 'example.org' }],
      [{ name: 'a', value: 'b', domain: '.' }],
      [{ name: 'a', value: 'b', domain: '2' }],
      [{ name: '__Host-a', value: 'b', domain: '127.0.0.2', path: '/x' }],
      [{ name: 'a\r\nb', value: 'c' }],
      [{ name: 'a', value: 'b;domain=example.org' }],
      [{ name: 'a=b', value: 'c' }],
      [{ name: 'a', value: 'b', path: 'x;secure' }],
      Array.from({ length: 5_000 }, (_, index) => ({ name: `a${index}`, value: 'b' })),
      [{ name: 'a', value: 'b', url: 'http://example.org/' }],
    ].map((cookies) => ({ cookies })),
  ),
  invalidFields('A26', 'invalid user agents, languages and time zones', [
    { user_agent: 'a\r\nX-B: c' },
    { user_agent: 'a'.repeat(100_000) },
    { user_agent: '\u0000' },
    { locale: '../../etc' },
    { locale: 'x\ny' },
    { timezone: '../../etc/passwd' },
    { timezone: 'Mars/Olympus' },
  ]),
  {
    id: 'A36a',
    title: 'endless scripts, functions and pauses of the client',
    pages: () => ({ '': scriptPage('var never = new Promise(() => {});') }),
    requests: ({ site }) =>
      [
        { custom_js: 'while (true);' },
        { custom_js: 'await never' },
        { wait_for_function: '(() => { while (true); })()' },
        { wait_for_function: 'never' },
        { wait_for_function: 'false' },
      ].map((fields) => ({ url: site, wait_for_timeout: 1_000, ...fields })),
    outcomes: [TIMEOUT],
  },
  {
    id: 'A36b',
    title: 'scripts of the client that navigate to loopback, or read files',
    isCore: true,
    pages: () => ({ '': documentOf('x') }),
    requests: ({ site, canary }) => [
      { url: site, custom_js: `location = '${canary}'` },
      { html_content: 'x', custom_js: `location = '${canary}'` },
    ],
    outcomes: ['400 DestinationNotAllowedError'],
  },
  {
    id: 'A43',
    title: 'styles of the client that load from loopback',
    pages: () => ({ '': documentOf('x') }),
    requests: ({ site, canary }) => [
      { url: site, custom_css: `@import url(${canary}); body { background: url(${canary}b) }` },
    ],
    blocked: 'any',
  },
];
