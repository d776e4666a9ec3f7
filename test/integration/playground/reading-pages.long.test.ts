import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { findViolations } from '../../support/violations.ts';
import { openBrowser, openPage } from '../../support/visitor-browser.ts';

const WIDTHS = [390, 800, 1280, 1920];
const TOKEN = 'the-token-of-the-default-key';

describe('the reference and the guides of a running service', () => {
  let service: RunningService;
  let browser: Browser;
  let folder: string;
  let keysFile: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pages-test-'));
    keysFile = join(folder, 'keys.json');
    await writeFile(keysFile, '{"keys": []}');
    [service, browser] = await Promise.all([startService({}, { stores: true }), openBrowser()]);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), browser.close()]);
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    const [, ...opened] = browser.browserContexts();
    await Promise.all(opened.map((context) => context.close()));
  });

  const open = async (path: string): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> => {
    const opened = await openPage(browser, service.url);
    await opened.page.goto(service.url + path);
    await opened.page.waitForSelector('[data-ready]');
    return opened;
  };

  it.each(['', 'queue', 'watches', 'docs', 'guides/readme'])(
    'has the same head on /%s, which marks the page',
    async (path) => {
      const { page } = await open(`/${path}`);

      const links = await page.$$eval('.links a', (all) => all.map(({ textContent, href }) => [textContent, href]));
      const current = await page.$$eval('.links [aria-current=page]', (all) =>
        all.map((each) => each.getAttribute('href')),
      );

      expect(links).toEqual([
        ['Playground', `${service.url}/`],
        ['Compare', `${service.url}/comparison`],
        ['Jobs', `${service.url}/queue`],
        ['Watches', `${service.url}/watches`],
        ['Reference', `${service.url}/docs`],
        ['Guides', `${service.url}/guides/readme`],
      ]);
      expect(current).toEqual([`${service.url}/${path}`]);
    },
  );

  it.each(
    ['/docs', '/guides/capturing', '/queue', '/watches', '/comparison'].flatMap((path) =>
      ['light', 'dark'].map((theme) => [path, theme] as const),
    ),
  )('has no axe violations on %s in %s, and fits the window', async (path, theme) => {
    const { page, complaints } = await open(path);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);

    for (const width of WIDTHS) {
      await page.setViewport({ width, height: 800 });
      expect(await findViolations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    expect(complaints).toEqual([]);
  });

  it('shows the usage of a month, with numbers and dates at its chart, without axe violations', async () => {
    await using keys = await startService({ AUTH_TOKEN: TOKEN, KEYS_FILE: keysFile }, { stores: true });
    await capture(keys.url, { html_content: 'x', window_width: 100, window_height: 100 }, { token: TOKEN });
    const { page, complaints } = await openPage(browser, keys.url);
    await page.goto(`${keys.url}/docs`);
    await page.evaluate((token) => sessionStorage.setItem('capture-token', token), TOKEN);
    await page.goto(`${keys.url}/usage`);
    await page.waitForSelector('.chart');

    for (const theme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      for (const width of WIDTHS) {
        await page.setViewport({ width, height: 800 });
        expect(await findViolations(page)).toEqual([]);
      }
    }
    const axis = await page.$$eval('.chart text', (all) => all.map(({ textContent }) => textContent));
    expect(axis.slice(0, 4)).toEqual(['0', '1', '2', `${new Date().toISOString().slice(5, 7)}-01`]);
    expect(await page.$$eval('th[scope=col]', (all) => all.map(({ textContent }) => textContent))).toEqual([
      'Date',
      'Captures',
      'Cached',
      'Failed',
      'Jobs',
      'Bytes',
    ]);
    expect(complaints).toEqual([]);
  });

  it('has every field and route in the reference, and an example beside each group of fields', async () => {
    const { page } = await open('/docs');
    const openApi: {
      readonly paths: object;
      readonly components: { readonly schemas: { readonly CaptureRequest: { readonly properties: object } } };
    } = await page.evaluate(async () => (await fetch('openapi.json')).json());
    const { properties } = openApi.components.schemas.CaptureRequest;

    const fields = await page.$$eval('[id^=field-]', (all) => all.map(({ id }) => id.slice('field-'.length)));
    const routes = await page.$$eval('.route code', (all) => all.map(({ textContent }) => textContent));
    const examples = await page.$$eval('.chapter:has([id^=field-]) .example code', (all) =>
      all.map(({ textContent }): unknown => JSON.parse(textContent)),
    );

    const shown = Object.keys(properties).filter((name) => !['template', 'data'].includes(name)); // no templates here
    expect(fields.toSorted()).toEqual(shown.toSorted());
    expect(new Set(routes)).toEqual(new Set(Object.keys(openApi.paths)));
    for (const example of examples)
      expect(Object.keys(Object(example)).filter((name) => !(name in properties))).toEqual([]);
    expect(examples).toHaveLength(await page.$$eval('.chapter:has([id^=field-])', ({ length }) => length));
  });

  it('shows captures in the language of the reader, with a way to try them, and routes by curl', async () => {
    const { page } = await open('/docs');
    const first = '.chapter:has(#field-pdf_format)';
    await page.select('#language', 'Python');

    expect(await page.$eval(`${first} .example code`, ({ textContent }) => textContent)).toContain('urllib.request');
    expect(await page.$eval('.chapter:has(#getJob) .example code', ({ textContent }) => textContent)).toBe(
      `curl --fail-with-body '${service.url}/jobs/<id>'`,
    );
    expect(await page.$eval('.chapter:has(#captureByLink) .example code', ({ textContent }) => textContent)).toBe(
      `curl --fail-with-body '${service.url}/capture?url=https%3A%2F%2Fexample.com%2F' \\\n  -o file`,
    );
    await Promise.all([page.waitForNavigation(), page.click(`${first} .example a`)]);
    await page.waitForSelector('[data-ready]');
    expect(await page.$eval('#code', ({ textContent }) => textContent)).toMatch(
      /"url":"https:\/\/example.com\/".*"pdf_/,
    );
  });

  it('finds routes, objects and messages, and marks the chapter that is read', async () => {
    const { page } = await open('/docs');
    await page.type('[type=search]', 'cancel a job');
    const shown = await page.$$eval('.chapter', (all) =>
      all.filter((each) => each.checkVisibility()).map((each) => each.getAttribute('aria-labelledby')),
    );

    expect(shown).toContain('cancelJob');
    expect(shown).not.toContain('listDevices');
    await page.type('[type=search]', ' zzzz');
    await page.waitForSelector('#nothing-found:not([hidden])');
    await page.click('#contents a[href="#listDevices"]');
    await page.waitForSelector('#listDevices', { visible: true });
    await page.$eval('[type=search]', (input) => {
      if (input instanceof HTMLInputElement) input.value = '';
      input.dispatchEvent(new Event('input'));
    });
    await page.$eval('#submitJob', (heading) => heading.scrollIntoView());
    await page.waitForSelector('#contents a[href="#submitJob"][aria-current]');
  });

  it('finds fields by words of their descriptions', async () => {
    const { page } = await open('/docs');

    await page.type('[type=search]', 'bookmarks');
    const shown = await page.$$eval('.entry', (all) =>
      all.filter((each) => each.checkVisibility()).map(({ id }) => id),
    );

    expect(shown).toContain('field-pdf_outline');
    expect(shown).not.toContain('field-url');
  });

  it('has links between guides that lead somewhere', async () => {
    const { page } = await open('/guides/readme');
    const guides = await page.$$eval('.contents a', (all) => all.map(({ href }) => href));
    const read = async (
      address: string,
    ): Promise<{ readonly ids: readonly string[]; readonly links: readonly string[] }> => {
      await page.goto(address);
      return await page.evaluate(() => ({
        ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
        links: [...document.querySelectorAll('a')].map(({ href }) => href),
      }));
    };
    const pages = new Map<string, Awaited<ReturnType<typeof read>>>();
    for (const guide of guides) pages.set(guide, await read(guide));

    const wrong = [...pages.values()].flatMap(({ links }) =>
      links.filter((link) => {
        const [address = '', id] = link.split('#');
        if (!address.startsWith(`${service.url}/guides/`)) return false;
        return pages.get(address)?.ids.includes(decodeURIComponent(id ?? 'guide')) !== true;
      }),
    );

    expect(guides.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  it('has the guides in the groups of README.md, and no words in the colour of links that are none', async () => {
    const { page } = await open('/guides/readme');

    expect(await page.$$eval('#guide-list .part', (all) => all.map(({ textContent }) => textContent))).toEqual([
      'Make captures',
      'Call it from programs',
      'Run it',
      'Move to it',
      'Work on it',
    ]);
    expect(await page.$$eval('#guide a:not([href])', ({ length }) => length)).toBe(0);
  });

  it('finds sections of the guides by their words, those in headings first', async () => {
    const { page } = await open('/guides/readme');
    const find = async (words: string, first: string): Promise<void> => {
      await page.$eval('#guide-search', (input) => {
        if (input instanceof HTMLInputElement) input.value = '';
      });
      await page.type('#guide-search', words);
      await page.waitForFunction((text) => document.querySelector('#guide-found a')?.textContent === text, {}, first);
    };
    await find('"--quiet" cron', 'Recipes: Every day by cron');
    await find('e-paper mono', 'Recipes: E-paper');
    const [first] = await page.$$('#guide-found a');

    expect(await findViolations(page)).toEqual([]);
    await Promise.all([page.waitForNavigation(), first?.click()]);
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/guides/recipes#e-paper');
  });

  it('lists the guides for language models, each as Markdown', async () => {
    const list = await fetch(`${service.url}/llms.txt`);
    const text = await list.text();
    const links = [...text.matchAll(/\]\((guides\/[^)]+)\)/g)].map(([, path]) => path);
    const guides = await Promise.all(
      links.map(async (path) => {
        const answer = await fetch(`${service.url}/${path}`);
        return [answer.status, answer.headers.get('content-type'), (await answer.text()).slice(0, 2)];
      }),
    );

    expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(links.length).toBeGreaterThan(25);
    expect(new Set(guides.map(String))).toEqual(new Set(['200,text/markdown; charset=utf-8,# ']));
  });

  it('answers 404 for a guide that does not exist', async () => {
    const answers = await Promise.all(
      ['none', 'a%2F..%2Findex', '..%2Findex'].map((name) => fetch(`${service.url}/guides/${name}`)),
    );

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
