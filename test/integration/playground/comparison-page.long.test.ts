import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { sendHtml } from '../../support/pages/exchange.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { findViolations } from '../../support/violations.ts';
import { openBrowser, openPage } from '../../support/visitor-browser.ts';

const TOKEN = 'token-of-the-test';
const shop = (price: string): string => `<h1>Tea</h1><p>Price: <b>${price}</b></p>`;

describe('the page of comparisons', () => {
  let service: RunningService;
  let site: FixtureSite;
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'comparison-page-'));
    [service, site, browser] = await Promise.all([
      startService({ AUTH_TOKEN: TOKEN }),
      createFixtureSite({
        moreRoutes: {
          '/old': ({ response }) => sendHtml(response, shop('3.50')),
          '/never': () => undefined,
          '/new': ({ response }) => sendHtml(response, shop('3.90')),
        },
      }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), site.close(), browser.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (): ReturnType<typeof openPage> => {
    const opened = await openPage(browser, service.url);
    await opened.page.evaluateOnNewDocument((token) => sessionStorage.setItem('capture-token', token), TOKEN);
    await opened.page.goto(`${service.url}/comparison`);
    await opened.page.waitForSelector('[data-ready]');
    return opened;
  };

  it('shows what differs between two addresses in four views', async () => {
    const { page, complaints } = await open();
    await page.type('#before-url', site.url('/old'));
    await page.type('#after-url', site.url('/new'));
    await page.click('#compare');
    await page.waitForSelector('#outcome');

    expect(await textOf(page, '#announcement')).toMatch(/^1 region differs: .* % of the pixels$/);
    expect(await page.$$eval('.region', (frames) => frames.map(({ className }) => className))).toEqual([
      'region changed',
    ]);
    expect(await textOf(page, '.regions')).toMatch(
      /^changed \d+ × \d+ px at \d+, \d+ .*b:nth-of-type\(1\): 3\.50 → 3\.90$/,
    );
    expect(await findViolations(page)).toEqual([]);
    const pictures: Record<string, number> = {};
    for (const tab of await page.$$('[role=tab]')) {
      await tab.click();
      const name = await tab.evaluate(({ textContent }) => textContent);
      pictures[name] = await page.$$eval('#views img', (shown) => shown.length);
      expect(await findViolations(page)).toEqual([]);
    }
    expect(pictures).toEqual({ Marked: 1, 'Side by side': 2, Slider: 2, Difference: 2 });
    expect(complaints).toEqual([]);
  });

  it('moves the slider between both pictures', async () => {
    const { page } = await open();
    await page.type('#before-url', site.url('/old'));
    await page.type('#after-url', site.url('/new'));
    await page.click('#compare');
    await page.waitForSelector('#outcome');
    await page.click('[role=tab]:nth-of-type(3)');
    await page.focus('.slider input');
    await page.keyboard.press('Home');
    const cut = () => page.$eval('.slider img:last-child', ({ style }) => style.clipPath);

    expect(await cut()).toMatch(/100%/);
    await page.keyboard.press('End');
    expect(await cut()).not.toMatch(/100%/);
  });

  it('compares a picture of the visitor, and shows why one cannot be compared', async () => {
    const file = join(folder, 'picture.png');
    const made = sharp({ create: { width: 50, height: 40, channels: 3, background: '#fff' } });
    await writeFile(file, await made.png().toBuffer());
    const { page } = await open();
    const input = await page.$('input#before-file');
    await input?.uploadFile(file);
    await page.type('#after-url', site.url('/new'));
    await page.click('#compare');
    await page.waitForSelector('.failure');

    expect(await textOf(page, '.failure')).toMatch(/before is 50 px wide, after 1280 px/);
    await page.click('#in-place');
    await page.click('#compare');
    await page.waitForSelector('#outcome');
    expect(await page.$('.failure')).toBeNull();
  });

  it('takes the size of the window and what is ignored', async () => {
    const { page } = await open();
    await page.type('#before-url', site.url('/old'));
    await page.type('#after-url', site.url('/new'));
    await page.type('#window-width', '400');
    await page.type('#window-height', '200');
    await page.type('#ignore', '0,0,10,10; [title="a;b"], b');
    await page.click('#compare');
    await page.waitForSelector('#outcome');

    expect(await textOf(page, '#outcome')).toBe('No difference');
    expect(
      await page.$eval('#views img', (image) =>
        image instanceof HTMLImageElement ? [image.naturalWidth, image.naturalHeight] : [],
      ),
    ).toEqual([400, 200]);
  });

  it('cancels a comparison', async () => {
    const { page } = await open();
    await page.type('#before-url', site.url('/old'));
    await page.type('#after-url', site.url('/never'));
    await page.focus('#compare');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('#compare')?.textContent === 'Cancel');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('#compare')?.textContent === 'Compare');

    expect(await textOf(page, '#notices')).toBe('Cancelled');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('compare');
  });

  it('takes a picture that is dropped on a side', async () => {
    const dropped = join(folder, 'dropped.png');
    const made = sharp({ create: { width: 50, height: 40, channels: 3, background: '#fff' } });
    await writeFile(dropped, await made.png().toBuffer());
    const { page } = await open();
    const session = await page.createCDPSession();
    const { x, y } = await page.$eval('.side', (side) => side.getBoundingClientRect().toJSON());
    const data = { items: [], files: [dropped], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data });

    expect(
      await page.$eval('#before-file', (input) => (input instanceof HTMLInputElement ? input.files?.[0]?.name : '')),
    ).toBe('dropped.png');
    expect(page.url()).toBe(`${service.url}/comparison`);
  });

  it('shows the error of a side', async () => {
    const { page } = await open();
    await page.type('#before-url', 'ftp://files.example');
    await page.type('#after-url', site.url('/new'));
    await page.click('#compare');
    await page.waitForSelector('.failure');

    expect(await textOf(page, '.failure')).toMatch(/^Before: .*url: must be/s);
    await page.$eval('#before-url', (input) => {
      if (input instanceof HTMLInputElement) input.value = '';
    });
    await page.focus('#compare');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('.failure')?.textContent.includes('missing'));
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('compare');
  });
});

async function textOf(page: Page, selector: string): Promise<string> {
  return await page.$eval(selector, (element) => (element instanceof HTMLElement ? element.innerText : ''));
}
