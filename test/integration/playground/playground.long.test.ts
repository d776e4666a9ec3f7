import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'puppeteer';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sendHtml } from '../../support/pages/exchange.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { findViolations } from '../../support/violations.ts';
import { openBrowser, openPage } from '../../support/visitor-browser.ts';

const TOKEN = 'a-token-for-tests';
const THEMES = ['light', 'dark'] as const;
const run = promisify(execFile);

describe('the playground', () => {
  let site: FixtureSite;
  let service: RunningService;
  let guarded: RunningService;
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    [site, service, guarded, browser, folder] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/large-markup': ({ response }) => sendHtml(response, `<h1>Large</h1><!-- ${'x'.repeat(1_000_000)} -->`),
        },
      }),
      startService({}, { stores: true }),
      startService({ AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: 'secret' }),
      openBrowser(),
      mkdtemp(join(tmpdir(), 'playground-test-')),
    ]);
  });
  afterAll(async () => {
    await Promise.all([
      service[Symbol.asyncDispose](),
      guarded[Symbol.asyncDispose](),
      browser.close(),
      site.close(),
      rm(folder, { recursive: true, force: true }),
    ]);
  });

  // An open page continues to render.
  afterEach(async () => {
    const [, ...opened] = browser.browserContexts();
    await Promise.all(opened.map((context) => context.close()));
  });

  /** Opens the playground with a setup in the form of `GET /capture`, ready for use. */
  const openPlayground = async (base: string, setup: Readonly<Record<string, string>> = {}) => {
    const opened = await openPage(browser, base);
    await opened.page.goto(`${base}/#${new URLSearchParams(setup).toString()}`);
    await opened.page.waitForSelector('[data-ready]');
    return opened;
  };

  it.each([360, 390, 768, 900, 1024, 1100, 1200, 1280, 1366, 1440, 1920])(
    'has room for an address at a width of %d, with every link of the head',
    async (width) => {
      const { page } = await openPlayground(guarded.url);
      await page.setViewport({ width, height: 800 });
      const measured = await page.evaluate(() => {
        // Links of a service that also has jobs and usage.
        for (const name of ['Jobs', 'Usage']) {
          const link = document.createElement('a');
          document
            .querySelector('.links')
            ?.append(Object.assign(link, { className: 'quiet', href: '.', textContent: name }));
        }
        const [brand, command, address] = ['.brand span', '#command', '#field-url'].map((selector) =>
          document.querySelector(selector)?.getBoundingClientRect(),
        );
        const links = [...document.querySelectorAll('.links > *')].map((link) => link.getBoundingClientRect());
        const others = [brand, command].flatMap((box) => box ?? []);
        return {
          address: address?.width,
          isOverlapping: links.some((a) =>
            others.some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
          ),
          isScrolling: document.documentElement.scrollWidth > window.innerWidth,
        };
      });

      expect(measured.address).toBeGreaterThanOrEqual(240);
      expect(measured).toMatchObject({ isOverlapping: false, isScrolling: false });
    },
  );

  it('leads a new user from a URL to a picture, a document, source, code and a link', async () => {
    const { page, complaints } = await openPlayground(guarded.url);

    await page.type('#field-url', site.url('/colours'));
    await page.keyboard.press('Enter');
    await page.waitForSelector('#token-dialog[open]');
    await page.type('#token', TOKEN);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-state=captured] img.picture');
    expect(await pictureSize(page)).toEqual([1280, 720]);
    expect(await textOf(page, '#facts')).toMatch(/Size\s*1280 × 720.*Page status\s*200/s);
    expect(await textOf(page, '#timing')).toMatch(/queue.*navigate.*wait.*render/s);

    await choose(page, 'avif');
    await capture(page);
    expect(await textOf(page, '#result-title')).toBe('AVIF');
    expect(await pictureSize(page)).toEqual([1280, 720]);

    await choose(page, 'pdf');
    await watchBlobs(page);
    await capture(page);
    expect(await textOf(page, '#result-title')).toBe('PDF');
    expect(await lastBlob(page)).toBe('application/pdf: %PDF-');
    expect(await page.$eval('a[download]', (link) => link.getAttribute('download'))).toBe('screenshot.pdf');

    await choose(page, 'html');
    await capture(page);
    await clickTab(page, 'Source');
    expect(await textOf(page, '.source code')).toMatch(/^<!doctype html>.*<\/html>/is);

    await choose(page, 'png');
    await run('sh', ['-euc', await textOf(page, '#code')], {
      cwd: folder,
      env: { PATH: process.env['PATH'], CAPTURE_TOKEN: TOKEN },
    });
    expect(await readPicture(await readFile(join(folder, 'screenshot.png')))).toMatchObject({
      format: 'png',
      width: 1280,
      height: 720,
    });

    await clickTab(page, 'Signed link');
    await page.click('#sign');
    await page.waitForFunction(() => document.querySelector('#code')?.textContent.includes('signature='));
    const [link = '', , image] = (await textOf(page, '#code')).split('\n');
    expect(image).toBe(`<img src="${link.replaceAll('&', '&amp;')}" alt="">`);
    await using fresh = { browser: await openBrowser(), [Symbol.asyncDispose]: () => fresh.browser.close() };
    const otherPage = await fresh.browser.newPage();
    await otherPage.setContent(`<img class="picture" src="${link.replaceAll('&', '&amp;')}">`);
    expect(await pictureSize(otherPage)).toEqual([1280, 720]);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['desktop', {}, 'Whole'],
    ['phone', { device: 'iPhone 15' }, 'Width'],
  ])(
    'gives the picture of a %s more than half of the stage, and shows it in other sizes',
    async (_kind, fields, first) => {
      const { page, complaints } = await openPlayground(service.url, { url: site.url('/colours'), ...fields });
      await page.setViewport({ width: 1280, height: 800 });
      await capture(page);
      const measure = () =>
        page.evaluate(() => {
          const [picture, stage] = ['.picture', '#stage'].map((selector) =>
            document.querySelector(selector)?.getBoundingClientRect(),
          );
          const { innerHeight } = window;
          const top = stage?.top ?? innerHeight;
          const height = Math.min(picture?.bottom ?? 0, stage?.bottom ?? 0, innerHeight) - (picture?.top ?? 0);
          return {
            width: (picture?.width ?? 0) / (stage?.width ?? 1),
            height: height / ((stage?.bottom ?? 0) - top),
            pressed: document.querySelector('.picture-views [aria-pressed=true]')?.textContent,
          };
        });

      const { width, height, pressed } = await measure();
      expect(pressed).toBe(first);
      expect([width > 0.5, height > 0.5]).toEqual([true, true]);
      await page.click('.picture-views button:last-child');
      expect((await measure()).pressed).toBe('100 %');
      expect(
        await page.$eval('.picture', (picture) =>
          picture instanceof HTMLImageElement ? picture.width >= picture.naturalWidth : false,
        ),
      ).toBe(true);
      expect(await findViolations(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it('names the field of an error in the result, and clears it when nothing is sent', async () => {
    const { page } = await openPlayground(service.url, { url: site.url('/colours'), clip: '{"x":0}' });
    await page.click('#capture');
    await page.waitForSelector('[data-state=failed]');
    expect(await textOf(page, '#notices')).toMatch(/clip/);

    await page.$eval('#field-url', (control) => {
      if (control instanceof HTMLInputElement) control.value = '';
    });
    await page.click('#capture');
    await page.waitForSelector('[data-state=empty]');
    expect(await textOf(page, '#notices')).toBe('');
    expect(await textOf(page, '#stage')).toMatch(/Not sent/);
  });

  it('shows captured markup as a page, which runs no scripts and reaches nothing', async () => {
    const address = site.url('/plain?from-preview');
    const html_content = `<style>h1 { color: rgb(1, 2, 3) }</style><h1>Shown</h1><script>parent.parent.postMessage('ran', '*')</script>
      <img src="${address}" onerror="document.body.remove()"><iframe src="${address}"></iframe><a href="${address}">Leave</a>`;
    const { page } = await openPlayground(service.url, {
      html_content,
      format: 'html',
      javascript: 'false',
      block_resources: '["image", "iframe"]',
    });
    await page.evaluate(() => addEventListener('message', ({ data }) => document.body.append(String(data))));
    await capture(page);
    const shown = await page.waitForFrame((frame) => frame.url() === 'about:srcdoc');
    await shown.waitForSelector('h1');

    expect(await shown.$eval('h1', (heading) => [heading.textContent, getComputedStyle(heading).color])).toEqual([
      'Shown',
      'rgb(1, 2, 3)',
    ]);
    await shown.click('a');
    expect(await page.evaluate(() => document.body.innerText.endsWith('ran'))).toBe(false);
    expect(site.requests.filter(({ path }) => path === '/plain?from-preview')).toEqual([]);
  });

  it('shows each picture of selector_each', async () => {
    const { page, complaints } = await openPlayground(service.url, {
      html_content: '<p>One<p>Two',
      javascript: 'false',
      selector: 'p',
      selector_each: 'true',
    });
    await capture(page);
    await page.waitForSelector('.several img:nth-child(2)');

    expect(await page.$$eval('.several img', (all) => all.map((each) => each.getAttribute('alt')))).toEqual([
      'Element 1 of your markup',
      'Element 2 of your markup',
    ]);
    expect(complaints).toEqual([]);
  });

  it('shows the source of large markup first, and the page on request', async () => {
    const { page } = await openPlayground(service.url, { url: site.url('/large-markup'), format: 'html' });
    await capture(page);
    const isShown = (selector: string): Promise<boolean> =>
      page.$eval(selector, (element) => element instanceof HTMLElement && element.checkVisibility());

    expect([await isShown('.source'), await isShown('.data iframe')]).toEqual([true, false]);
    await clickTab(page, 'Page');
    const shown = await page.waitForFrame((frame) => frame.url() === 'about:srcdoc');
    await shown.waitForSelector('h1');
    expect([await isShown('.source'), await isShown('.data iframe')]).toEqual([false, true]);
  });

  it('has inputs for cookies, margins and values by selectors, which keep what a link names', async () => {
    const values = {
      extract: { title: 'h1', links: { selector: 'a', all: true } },
      pdf_margin: { top: '2cm', left: '15mm' },
    };
    const texts = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]);
    const { page, complaints } = await openPlayground(service.url, {
      url: site.url('/'),
      ...Object.fromEntries(texts),
    });
    const request = async (): Promise<object> =>
      JSON.parse(/-d '(.*)' \\$/m.exec(await textOf(page, '#code'))?.[1] ?? '{}');

    expect(await request()).toMatchObject(values);
    await page.$$eval('details', (all) => all.forEach((each) => (each.open = true)));
    await page.type('#field-pdf_margin-all', '1cm');
    await page.click('#field-cookies');
    await page.type('#field-cookies-0-name', 'session');
    await page.type('#field-cookies-0-value', 'a1');
    await page.click('#field-cookies-0-secure');
    expect(await request()).toMatchObject({
      pdf_margin: { top: '2cm', right: '1cm', bottom: '1cm', left: '15mm' },
      cookies: [{ name: 'session', value: 'a1', secure: true }],
    });
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('names files as browsers open them', async () => {
    const { page } = await openPlayground(service.url, { url: site.url('/colours'), format: 'single_html' });

    expect(await textOf(page, '#code')).toContain('-o screenshot.html');
  });

  it.each(['file', 'json'])('shows a preview and the link of a stored %s answer', async (response_type) => {
    const setup = { html_content: '<p>hello', response_type };
    const { page, complaints } = await openPlayground(service.url, setup);
    await page.$eval('#field-store', (control) => {
      if (control instanceof HTMLElement) control.click();
    });

    await capture(page);

    const [path, link] = await page.$eval('#facts a', (each) => [each.textContent, each.getAttribute('href')]);
    expect(path).toMatch(/^~days\/\d{4}\/\d\d\/\d\d\/[\da-f-]+\.png$/);
    expect((await fetch(link ?? '')).headers.get('content-type')).toBe('image/png');
    expect(complaints).toEqual([]);
  });

  it('shows the file of a json answer, and a tab for each of its parts', async () => {
    const { page, complaints } = await openPlayground(service.url, {
      url: site.url('/document'),
      response_type: 'json',
      include: '["metadata","markdown"]',
    });

    await capture(page);

    expect(await textOf(page, '#result-title')).toBe('JSON');
    expect(await pictureSize(page)).toEqual([1280, 720]);
    expect(await page.$$eval('.data [role=tab]', (tabs) => tabs.map((tab) => tab.textContent))).toEqual([
      'file',
      'metadata',
      'markdown',
    ]);
    await clickTab(page, 'markdown');
    expect(await textOf(page, '#data-panel code')).toContain('## Outlook');
    await clickTab(page, 'metadata');
    expect(await textOf(page, '#data-panel code')).toContain('"title": "Fixture"');
    await clickTab(page, 'file');
    expect(await pictureSize(page)).toEqual([1280, 720]);
    expect(await page.$eval('a[download]', (link) => link.getAttribute('download'))).toBe('screenshot.json');
    expect(await textOf(page, '#code')).toContain('-o screenshot.json');
    expect(complaints).toEqual([]);
  });

  it('keeps the token in the tab only, not in the address or the code', async () => {
    const { page } = await openPlayground(guarded.url, { html_content: '<p>hello' });

    await page.click('#capture');
    await page.waitForSelector('#token-dialog[open]');
    await page.type('#token', 'wrong');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#token-problem:not([hidden])');
    const complaint = await textOf(page, '#token-problem');
    await page.type('#token', TOKEN);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-state=captured]');

    const kept = await page.evaluate(() => ({
      session: JSON.stringify(sessionStorage),
      elsewhere: JSON.stringify(localStorage) + document.cookie + location.href,
      shown: document.body.innerText,
    }));
    expect(complaint).toBe('Invalid authentication token.');
    expect(kept.session).toContain(TOKEN);
    expect(kept.elsewhere + kept.shown).not.toContain(TOKEN);
  });

  it('shows a problem next to the field that causes it', async () => {
    const { page } = await openPlayground(service.url, { url: site.url('/plain'), window_width: '99999' });

    await page.click('#capture');
    await page.waitForSelector('[data-state=failed]');

    const field = await page.evaluate(() => {
      const { activeElement: input } = document;
      const [, problem = ''] = input?.getAttribute('aria-describedby')?.split(' ') ?? [];
      return [input?.id, input?.getAttribute('aria-invalid'), document.getElementById(problem)?.textContent];
    });
    expect(field).toEqual(['field-window_width', 'true', 'Must be a whole number from 1 to 7680.']);
    expect(await textOf(page, '#announcement')).toBe('Not captured: Invalid request parameters');
  });

  it('needs a source of the page before it sends anything', async () => {
    const { page, complaints } = await openPlayground(service.url);

    await page.click('#capture');

    expect(await textOf(page, '#field-url-problem')).toBe('Enter an address, or choose Markup or Markdown.');
    expect(await textOf(page, '#result-title')).toBe('Not sent');
    expect(complaints).toEqual([]);
  });

  it.each([
    ['example.com/a?b=c', 'https://example.com/a?b=c'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['HTTPS://example.com', 'HTTPS://example.com'],
    ['data:text/plain,hello', 'data:text/plain,hello'],
  ])('completes the address %s as browsers do', async (typed, sent) => {
    const { page } = await openPlayground(service.url);

    await page.type('#field-url', typed);

    expect(await textOf(page, '#code')).toContain(`"url":"${sent}"`);
  });

  it.each(['html_content', 'markdown_content'])(
    'has an editor for %s, which leaves the picture its room',
    async (name) => {
      const { page } = await openPlayground(service.url);
      await page.setViewport({ width: 1280, height: 800 });

      await page.click(`label:has(#alternative-${name})`);
      const { width, height } = await page.$eval(`#field-${name}`, (editor) => {
        const box = editor.getBoundingClientRect();
        return { width: box.width, height: box.height };
      });

      expect(width).toBeGreaterThan(1_000);
      expect(height).toBeGreaterThan(80);
      expect(height).toBeLessThan(160);
    },
  );

  it('has presets that set several options, and unset them again', async () => {
    const { page, complaints } = await openPlayground(service.url, { url: site.url('/plain') });
    const press = (title: string) => page.click(`.presets button:nth-child(${TITLES.indexOf(title) + 1})`);
    const TITLES = await page.$$eval('.presets button', (all) => all.map(({ textContent }) => textContent));
    const request = async (): Promise<unknown> =>
      JSON.parse(/-d '(.*)' \\$/m.exec(await textOf(page, '#code'))?.[1] ?? '{}');

    await press('Phone');
    await press('No ads');
    await press('Dark');
    const set = await request();
    const pressed = await page.$$eval('.presets [aria-pressed=true]', (all) =>
      all.map(({ textContent }) => textContent),
    );
    await capture(page);
    const size = await pictureSize(page);
    for (const title of pressed) await press(title);
    await press('PDF');
    await press('Markdown');

    expect(TITLES).toEqual(['Full page', 'Phone', 'Dark', 'No ads', 'PDF', 'Markdown']);
    expect(set).toEqual({
      url: site.url('/plain'),
      device: 'iPhone 15',
      dark_mode: true,
      block_ads: true,
      block_trackers: true,
      block_cookie_banners: true,
    });
    expect(pressed).toEqual(['Phone', 'Dark', 'No ads']);
    expect(size).toEqual([393 * 3, 659 * 3]);
    expect(await request()).toEqual({ url: site.url('/plain'), format: 'markdown' });
    expect(await page.$$eval('#field-device option', (options) => options.length)).toBeGreaterThan(100);
    expect(complaints).toEqual([]);
  });

  it('leads from an error or warning to its explanation', async () => {
    const setup = { url: site.url('/never-idle'), wait_for_network: 'idle', wait_for_timeout: '300' };
    const { page, complaints } = await openPlayground(service.url, setup);
    await capture(page);
    const link = await page.$eval('.notice a', (each) => each.getAttribute('href') ?? '');

    await page.goto(new URL(link, service.url).href);
    await page.waitForSelector('.is-named');

    expect(link).toBe('docs?about=network_not_idle');
    expect(await textOf(page, '#network_not_idle')).toMatch(/wait_for_network ran out of time/);
    expect(await page.$eval('.is-named', ({ id }) => id)).toBe('network_not_idle');
    expect(await page.$eval('.is-named', (each) => each.getBoundingClientRect().top)).toBeLessThan(720);
    expect(await textOf(page, '#TimeoutError')).toMatch(/./);
    expect(complaints).toEqual([]);
  });

  it('explains in words what the page could not wait for', async () => {
    const setup = { url: site.url('/never-idle'), wait_for_network: 'idle', wait_for_timeout: '3000' };
    const { page } = await openPlayground(service.url, setup);

    await capture(page);

    expect(await textOf(page, '#notices')).toContain('ran out of time while requests were in flight.');
  });

  it('keeps the setup in the address, so it can be shared', async () => {
    const { page: first } = await openPlayground(service.url);
    await first.type('#field-url', site.url('/plain'));
    await choose(first, 'webp');
    await first.click('#field-full_page');
    await first.type('#field-selector', 'main');

    const { page: second } = await openPage(browser, service.url);
    await second.goto(first.url());
    await second.waitForSelector('[data-ready]');

    const setup = await second.evaluate(() => ({
      ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))),
      isChecked: document.querySelector<HTMLInputElement>('#field-full_page')?.checked,
      code: document.querySelector('#code')?.textContent,
    }));
    expect(setup).toMatchObject({
      url: site.url('/plain'),
      format: 'webp',
      full_page: 'true',
      selector: 'main',
    });
    expect(setup).toMatchObject({ isChecked: true, code: expect.stringContaining('"format":"webp"') });
  });

  it('sends files that are chosen or dropped, and shows code that reads them', async () => {
    const { page, complaints } = await openPlayground(service.url, {
      html_content: '<link rel="stylesheet" href="style.css"><img src="a.svg"><h1>Hello</h1>',
      format: 'html',
      custom_css: 'h1 { background: white }',
    });
    await page.$$eval('details', (all) => all.forEach((each) => (each.open = true)));
    await writeFile(join(folder, 'style.css'), 'h1 { color: rgb(1, 2, 3) }');
    const input = await page.$('input[type=file]');
    await input?.uploadFile(join(folder, 'style.css'));
    await page.waitForSelector('.files li');
    await page.$eval('.drop', (zone) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['<svg xmlns="http://www.w3.org/2000/svg"></svg>'], 'a.svg'));
      dataTransfer.items.add(new File(['x'], 'wrong.txt'));
      zone.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await page.waitForSelector('.files li:nth-child(3)');
    await page.click('[aria-label="Remove wrong.txt"]');

    const code = await textOf(page, '#code');
    await page.click('#capture');
    await page.waitForSelector('[data-state=captured]');

    expect(code).toContain('-F \'file=@"style.css";filename="style.css"\'');
    expect(code).toContain('-F \'file=@"a.svg";filename="a.svg"\'');
    expect(code).not.toContain('wrong.txt');
    // The page that is shown reaches none of its files.
    expect(complaints.filter((each) => !each.includes('Content Security Policy'))).toEqual([]);
    await page.screenshot({ path: join(folder, 'files.png') });
  });

  it('has actions as cards that can be reordered', async () => {
    const { page, complaints } = await openPlayground(service.url, { url: site.url('/plain') });
    await page.$$eval('details', (all) => all.forEach((each) => (each.open = true)));
    const add = async (kind: string, member: string, text: string): Promise<void> => {
      await page.click('#field-actions');
      const id = await page.evaluate(() => document.activeElement?.id);
      const option = `#${id} option`;
      const value = await page.$$eval(
        option,
        (all, label) => all.find(({ textContent }) => textContent === label)?.getAttribute('value') ?? '',
        kind,
      );
      await page.select(`#${id}`, value);
      await page.type(`#${id}-${member}`, text);
    };
    const actions = async (): Promise<unknown> =>
      JSON.parse(/-d '(.*)' \\$/m.exec(await textOf(page, '#code'))?.[1] ?? '{}').actions;

    await add('Click', 'selector', '#menu');
    await add('Press', 'key', 'Escape');
    await add('Goto', 'url', 'http://a.example/');
    expect(await actions()).toEqual([
      { type: 'click', selector: '#menu' },
      { type: 'press', key: 'Escape' },
      { type: 'goto', url: 'http://a.example/' },
    ]);
    await page.click('.entry:nth-child(3) [title="Move up"]');
    await page.keyboard.press('Enter'); // the button has moved with its card and keeps the focus
    await page.click('.entry:nth-child(3) [title=Remove]');
    expect(await actions()).toEqual([
      { type: 'goto', url: 'http://a.example/' },
      { type: 'click', selector: '#menu' },
    ]);

    await page.focus('.entry:nth-child(2) input[type=text]');
    await page.keyboard.sendCharacter('x'.repeat(1_100)); // pasted: each typed key regenerates the code
    await page.click('#capture');
    await page.waitForSelector('[data-state=failed]');
    expect(await textOf(page, '#field-actions-problem')).toBe('No. 2: Must be text of 1 to 1024 characters.');
    expect(complaints).toEqual([]);
  });

  it('never runs captured content', async () => {
    const html = '<img src=x onerror="top.pwned=1"><script>top.pwned=1</script><svg onload="top.pwned=1">';
    const setup = { html_content: html, format: 'html', javascript: 'false' };
    const { page, complaints } = await openPlayground(service.url, setup);
    await watchBlobs(page);

    await capture(page);

    const shown = await page.waitForFrame((frame) => frame.url() === 'about:srcdoc');
    await shown.waitForSelector('svg');
    await clickTab(page, 'Source');
    expect(await textOf(page, '.source code')).toContain('<script>top.pwned=1</script>');
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(await lastBlob(page)).toMatch(/^application\/octet-stream: </);
    expect(complaints.filter((each) => !/Blocked script execution|Content Security Policy/.test(each))).toEqual([]);
  });

  it('shows a running capture, and cancels it on request', async () => {
    const { page } = await openPlayground(service.url, { url: site.url('/plain'), delay_capture: '20000' });

    await page.click('#capture');
    await page.waitForSelector('#cancel');
    expect(await textOf(page, '#elapsed')).toMatch(/^\d+\.\d s$/);
    await page.keyboard.press('Escape');
    await page.waitForSelector('[data-state=empty]');

    expect(await textOf(page, '#announcement')).toBe('Cancelled');
  });

  it.each(THEMES)('has no axe violations in %s', async (theme) => {
    const { page } = await openPlayground(service.url, { html_content: '<p>hello', window_width: '99999' });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await page.$$eval('details', (all) => all.forEach((each) => (each.open = true)));
    await page.click('#field-actions');
    await page.click('#capture');
    await page.waitForSelector('[data-state=failed]');
    const failed = await findViolations(page);
    await page.click('#reset');
    await page.type('#field-url', site.url('/plain'));
    await capture(page);
    const captured: string[] = [];
    for (const width of [390, 800, 1280, 1920]) {
      await page.setViewport({ width, height: 800 });
      captured.push(...(await findViolations(page)));
    }

    const { page: tokenPage } = await openPlayground(guarded.url, { html_content: 'x' });
    await tokenPage.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await tokenPage.click('#capture');
    await tokenPage.waitForSelector('#token-dialog[open]');

    expect([...failed, ...captured, ...(await findViolations(tokenPage))]).toEqual([]);
  });

  it.each([390, 768, 1280, 1920])('fits into a window of %i px', async (width) => {
    const { page } = await openPlayground(service.url, { url: site.url('/colours'), full_page: 'true' });
    await page.setViewport({ width, height: 800 });

    await capture(page);

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(
      await page.$$eval('#actions *', (all) =>
        all.every(
          (each) => each.getBoundingClientRect().right < (each.closest('.card')?.getBoundingClientRect().right ?? 0),
        ),
      ),
    ).toBe(true);
  });

  it('has a labelled control for every field', async () => {
    const { page } = await openPlayground(service.url);
    const openApi = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
    // Fields of templates are shown only with TEMPLATES_DIR.
    const fields = Object.keys(openApi.components.schemas.CaptureRequest.properties).filter(
      (name) => !['template', 'data'].includes(name),
    );

    const shown = await page.$$eval('[data-field]', (rows) =>
      rows
        .filter((row) => row.querySelector('label, legend')?.textContent)
        .map((row) => row.getAttribute('data-field')),
    );

    expect(new Set(shown)).toEqual(new Set(fields));
    expect(shown).toHaveLength(fields.length);
  });

  it('mentions jobs if they are enabled, and explains what they need if not', async () => {
    const { page } = await openPlayground(service.url);
    const { page: without, complaints } = await openPlayground(guarded.url);
    const shown = await Promise.all(
      [page, without].map((each) =>
        each.evaluate(() => [
          document.querySelector('.links')?.textContent.includes('Jobs'),
          document.querySelector('#submit-job') !== null,
        ]),
      ),
    );

    await without.goto(`${guarded.url}/queue`);
    await without.waitForSelector('[data-ready]');

    expect(shown).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(await textOf(without, 'main')).toMatch(/runs no jobs.*DATA_DIR.*REDIS_URL/);
    expect(complaints).toEqual([]);
  });
});

async function capture(page: Page): Promise<void> {
  // Marks the previous answer, so that it is not mistaken for the next one.
  await page.$eval('#stage-card', (card) => card.setAttribute('data-state', 'requested'));
  await page.click('#capture');
  await page.waitForSelector('[data-state=captured]');
}

async function choose(page: Page, format: string): Promise<void> {
  const list = await page.$('select#field-format'); // a select element, because the formats do not fit side by side
  if (list !== null) {
    const texts = await list.$$eval('option', (options) => options.map(({ textContent }) => textContent));
    await list.select(`${texts.indexOf(format)}`); // the value of an option is its index
  } else await page.$eval(`input[name=field-format][value=${format}]`, (radio) => radio.parentElement?.click());
}

async function clickTab(page: Page, name: string): Promise<void> {
  await page.$$eval(
    '[role=tab]',
    (tabs, label) => tabs.find(({ textContent }) => textContent === label)?.dispatchEvent(new Event('click')),
    name,
  );
}

async function textOf(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, ({ textContent }) => textContent);
}

async function pictureSize(page: Page): Promise<readonly number[]> {
  await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('img.picture')?.naturalWidth ?? 0) > 0);
  return page.$eval('img.picture', (element) =>
    element instanceof HTMLImageElement ? [element.naturalWidth, element.naturalHeight] : [],
  );
}

/** Records the blobs that get a URL in the page: its policy forbids fetching such URLs. */
async function watchBlobs(page: Page): Promise<void> {
  await page.evaluate(() => {
    const create = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob: Blob) => {
      void blob
        .slice(0, 5)
        .text()
        .then((start) => {
          document.documentElement.dataset['blob'] = `${blob.type}: ${start}`;
        });
      return create(blob);
    };
  });
}

/** Returns type and beginning of the latest blob. */
async function lastBlob(page: Page): Promise<unknown> {
  await page.waitForSelector('[data-blob]');
  return page.evaluate(() => document.documentElement.dataset['blob']);
}
