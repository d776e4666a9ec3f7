import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { findViolations } from '../../support/violations.ts';
import { openBrowser, openPage } from '../../support/visitor-browser.ts';

const press = (page: Page, action: string): Promise<void> => page.click(`.watch [data-action=${action}]`);
const untilState = (page: Page, word: string) =>
  page.waitForFunction((text) => document.querySelector('.watch .state')?.textContent === text, {}, word);

describe('the page of watches', () => {
  let service: RunningService;
  let browser: Browser;
  let site: FixtureSite;
  let price = '10';
  beforeAll(async () => {
    [service, browser, site] = await Promise.all([
      startService({}, { stores: true }),
      openBrowser(),
      createFixtureSite({
        moreRoutes: { '/priced': ({ response }) => sendHtml(response, toDocument({ body: `<p id="p">${price}</p>` })) },
      }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), browser.close(), site.close()]);
  });

  it('adds, runs, compares, pauses, edits and removes a watch', async () => {
    const { page, complaints } = await openPage(browser, service.url);
    await page.goto(`${service.url}/watches`);
    await page.waitForSelector('[data-ready]');

    await page.type('#url', site.url('/priced'));
    await page.click('#add');
    await untilState(page, 'First');
    price = '11';
    await press(page, 'run');
    await untilState(page, 'Changed');

    await press(page, 'runs');
    await page.waitForSelector('.run');
    await page.click('.run[data-outcome=changed] button');
    await page.waitForSelector('#outcome');
    expect(await page.$eval('#comparison', (section) => section.textContent)).toMatch(/#p: 10 → 11/);
    expect(await page.$$eval('#views img', (all) => all.every(({ naturalWidth }) => naturalWidth > 0))).toBe(true);

    await press(page, 'accept');
    await press(page, 'pause');
    await untilState(page, 'Paused, last: changed');
    await press(page, 'resume');
    await untilState(page, 'Changed');
    await press(page, 'edit');
    await page.$eval('#edit-schedule', (input) => input instanceof HTMLInputElement && (input.value = '0 9 * * *'));
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('.watch')?.textContent?.includes('0 9 * * *'));

    expect(await findViolations(page)).toEqual([]);
    await press(page, 'remove');
    await press(page, 'remove');
    await page.waitForSelector('#none:not([hidden])');
    expect(complaints).toEqual([]);
  });

  it('shows what is wrong with a schedule, and keeps the form', async () => {
    const { page } = await openPage(browser, service.url);
    await page.goto(`${service.url}/watches`);
    await page.waitForSelector('[data-ready]');
    await page.type('#url', site.url('/priced'));
    await page.$eval('#schedule', (input) => input instanceof HTMLInputElement && (input.value = 'daily'));
    await page.click('#add');
    await page.waitForSelector('#notices .failure');
    expect(await page.$eval('#notices', (all) => all.textContent)).toContain('schedule: must be five fields of cron');
    expect(await page.$eval('#url', (input) => input instanceof HTMLInputElement && input.value)).toBe(
      site.url('/priced'),
    );
  });
});
