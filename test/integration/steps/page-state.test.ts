import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserEnvironment } from '../../../src/core/browser/find/browser-environment.ts';
import { findBrowser } from '../../../src/core/browser/find/executable.ts';
import { invalid, readError } from '../../support/errors.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { startTwoSites, type TwoSites } from '../../support/two-sites.ts';

let sites: TwoSites;
let service: SharedService;
beforeAll(async () => {
  [sites, service] = await Promise.all([startTwoSites(), sharedService()]);
});
afterAll(() => sites[Symbol.asyncDispose]());

type Fields = Readonly<Record<string, unknown>>;
const captureOf = (path: string, fields: Fields): Promise<CaptureAnswer> =>
  capture(service.url, { format: 'html', url: `${sites.origin}${path}`, ...fields });
const textOf = async (path: string, fields: Fields): Promise<string> => {
  const answer = await captureOf(path, fields);
  expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
  return answer.body.toString().replaceAll(/<script>[^]*?<\/script>|<[^>]*>/g, '');
};
const shownBy = async (path: string, fields: Fields): Promise<unknown> => {
  const [json = '{}'] = /\{.*\}/.exec(await textOf(path, fields)) ?? [];
  return JSON.parse(json);
};
const stateOf = (origin: string, items: Readonly<Record<string, string>>, cookies: readonly object[] = []) => ({
  cookies,
  origins: [{ origin, localStorage: Object.entries(items).map(([name, value]) => ({ name, value })) }],
});
const COOKIE = { name: 'session', value: 'cookie-secret', domain: '127.0.0.1', path: '/', expires: -1 };

describe.concurrent('init_script', () => {
  it('runs before the scripts of the page, and keeps its globals', async () => {
    expect(await shownBy('/show', { init_script: 'var flag = [1, 2].length; localStorage.a = "b"' })).toEqual({
      storage: [['a', 'b']],
      cookie: '',
      flag: 2,
    });
  });

  it('runs in frames of the origin, and in no other', async () => {
    const text = await textOf('/frames', { init_script: 'self.flag = 7' });

    expect(text).toContain('own 7;');
    expect(text).toContain('other none;');
    expect(await shownBy('/leave', { init_script: 'self.flag = 7' })).toMatchObject({ flag: null });
  });

  it.each([
    ['written into the blank page', {}],
    ['with files', { files: { 'a.txt': 'YQ==' } }],
    ['with an address', { base_url: 'http://127.0.0.1:9/' }],
  ])('runs in markup %s', async (_where, fields) => {
    const html_content = '<!doctype html><body><script>document.body.append(`flag ${self.flag}`)</script>';

    expect(await textOf('', { url: undefined, html_content, ...fields, init_script: 'var flag = 7' })).toContain(
      'flag 7',
    );
  });

  it.each([
    ['written into the blank page', {}],
    ['with files', { files: { 'a.txt': 'YQ==' } }],
    ['with an address', { base_url: 'http://127.0.0.1:9/' }],
  ])('may use storage in markup %s', async (_where, fields) => {
    const html_content = '<body><script>document.body.append(`theme ${localStorage.theme}`)</script>';
    const init_script = 'localStorage.theme = "dark"';

    expect(await textOf('', { url: undefined, html_content, ...fields, init_script })).toContain('theme dark');
  });

  it('needs scripts', async () => {
    const answer = await captureOf('/show', { init_script: 'self.x = 1', javascript: false });

    expect(readError(answer)).toEqual(invalid('init_script: needs scripts, but javascript is false'));
  });

  it('may run for as long as the load of the page', async () => {
    const fields = { url: undefined, html_content: 'a', init_script: 'while (true);', wait_for_timeout: 1_000 };

    expect(readError(await captureOf('', fields))).toMatchObject({ status: 500, error_type: 'TimeoutError' });
  });

  it.each([
    ['self.x = ;', "init_script: SyntaxError: Unexpected token ';'"],
    ['} if (1) {', "init_script: SyntaxError: Unexpected token '}'"],
    ['#!/usr/bin/env node', 'init_script: SyntaxError: Invalid or unexpected token'],
    ['function f() {} var f;', "init_script: SyntaxError: Identifier 'f' has already been declared"],
    ['await 1', 'init_script: SyntaxError: await is only valid in async functions and the top level bodies of modules'],
    ['throw new TypeError("early")', 'init_script: TypeError: early'],
  ])('ends the capture with the error of %s', async (init_script, details) => {
    expect(readError(await captureOf('/show', { init_script }))).toEqual(invalid(details));
    expect(readError(await captureOf('', { url: undefined, html_content: 'a', init_script }))).toEqual(
      invalid(details),
    );
  });

  it('may leave functions that throw when the page calls them', async () => {
    expect(await shownBy('/show', { init_script: 'self.later = () => { throw new Error("later") }' })).toMatchObject({
      flag: null,
    });
  });
});

describe.concurrent('storage_state', () => {
  it('is there before the page, for the origins that it names', async () => {
    const storage_state = stateOf(sites.origin, { token: 'first', length: '3', __proto: 'x' }, [COOKIE]);
    const shown = await shownBy('/show', { storage_state });

    expect(shown).toMatchObject({ cookie: 'session=cookie-secret' });
    expect(new Map(Object(shown).storage).get('token')).toBe('first');
    expect(sites.requests).toContain(`${sites.origin.slice('http://'.length)}/show session=cookie-secret`);
    expect(await shownBy('/leave', { storage_state: stateOf(sites.origin, { token: 'first' }) })).toMatchObject({
      storage: [],
    });
  });

  it('is set once: the page may change it, and reload', async () => {
    expect(await textOf('/rotate', { storage_state: stateOf(sites.origin, { token: 'first' }) })).toContain(
      'token second',
    );
  });

  it('stays out of other captures', async () => {
    await textOf('/show', { storage_state: stateOf(sites.origin, { token: 'first' }, [COOKIE]) });

    expect(await shownBy('/show', {})).toEqual({ storage: [], cookie: '', flag: null });
  });

  it('is masked in the console, also inside of JSON', async () => {
    const canaries = { plain: 'canary-of-storage', nested: JSON.stringify({ user: { token: 'canary-inside' } }) };
    const storage_state = stateOf(sites.origin, canaries, [{ ...COOKIE, value: 'canary-of-cookie' }]);
    const answer = await captureOf('/log', { storage_state, response_type: 'json', include: ['console', 'network'] });

    expect(answer.body.toString()).toContain('stored');
    expect(answer.body.toString()).not.toContain('canary');
  });

  it('comes back after the capture, with storage of frames, and is taken again', async () => {
    const answer = await captureOf('/login', {
      actions: [
        { type: 'type', selector: '#name', text: 'ada' },
        { type: 'click', selector: 'button' },
      ],
      wait_for_function: 'location.pathname === "/show"',
      response_type: 'json',
      include: ['storage_state'],
    });
    const { storage_state } = Object(answer.json());

    expect(storage_state).toEqual({
      cookies: [
        {
          name: 'session',
          value: 'cookie-of-visitor',
          domain: '127.0.0.1',
          path: '/',
          expires: -1,
          httpOnly: false,
          secure: false,
          sameSite: 'Lax',
        },
      ],
      origins: [{ origin: sites.origin, localStorage: [{ name: 'token', value: 'token-of-ada' }] }],
    });
    expect(await shownBy('/show', { storage_state })).toMatchObject({ storage: [['token', 'token-of-ada']] });
    const partner = await captureOf('/partner', { response_type: 'json', include: ['storage_state'] });
    expect(Object(partner.json()).storage_state.origins).toEqual([
      { origin: sites.other, localStorage: [{ name: 'kept', value: 'by the frame' }] },
    ]);
  });

  it('is read from Playwright, and written for it', async () => {
    const { search } = browserEnvironment(process.env);
    const { path: executablePath } = await findBrowser({ ...search, executable: process.env['BROWSER_EXECUTABLE'] });
    const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${sites.origin}/login`);
      await page.fill('#name', 'bob');
      await page.click('button');
      await page.waitForURL('**/show');
      const theirs = await context.storageState();
      expect(await shownBy('/show', { storage_state: theirs })).toMatchObject({
        storage: [['token', 'token-of-bob']],
        cookie: 'session=cookie-of-visitor',
      });

      const answer = await captureOf('/show', {
        storage_state: theirs,
        response_type: 'json',
        include: ['storage_state'],
      });
      const { storage_state: ours } = Object(answer.json());
      const other = await browser.newContext({ storageState: ours });
      const again = await other.newPage();
      await again.goto(`${sites.origin}/show`);
      expect(await again.textContent('body')).toContain('token-of-bob');
      expect(await again.textContent('body')).toContain('session=cookie-of-visitor');
    } finally {
      await browser.close();
    }
  });

  it.each([
    ['x', 'storage_state: must be an object with cookies and origins, as Playwright writes it'],
    [{ cookie: [] }, 'storage_state.cookie: is not a known field'],
    [{ cookies: [{ name: 'a', value: 'b' }] }, 'storage_state.cookies[0].domain: must be a domain'],
    [
      { cookies: [{ name: 'a', value: 'b', domain: '127.0.0.1', sameSite: 'None' }] },
      'storage_state.cookies[0]: is not a cookie that the browser accepts',
    ],
    [
      { origins: [{ origin: 'example.com' }] },
      'storage_state.origins[0].origin: must be an origin such as https://app.example.com',
    ],
    [
      { origins: [{ origin: 'https://example.com', indexedDB: [{}] }] },
      'storage_state.origins[0].indexedDB: is not supported: write the state without indexedDB',
    ],
    [
      stateOf('https://example.com', { a: 'x'.repeat(1_100_000) }),
      'storage_state: must have at most 1048576 bytes as JSON',
    ],
  ])('refuses %.60j', async (storage_state, details) => {
    expect(readError(await captureOf('/show', { storage_state }))).toEqual(invalid(details));
  });
});
