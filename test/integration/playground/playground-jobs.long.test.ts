import type { Browser, Page } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { findViolations } from '../../support/violations.ts';
import { openBrowser, openPage } from '../../support/visitor-browser.ts';

const TOKEN = 'token-of-the-test';
const GREEN = { html_content: '<body style="background:#00ff00">', window_width: 400, window_height: 250 };
/** A capture that occupies the only page for jobs. */
const BLOCKER = { ...GREEN, delay_capture: 30_000 };
const HOSTILE = '[title="<img src=x onerror=top.pwned=1>"]';

describe('the jobs page', () => {
  let service: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startService({ AUTH_TOKEN: TOKEN, JOB_CONCURRENCY: '1' }, { stores: true }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), browser.close()]);
  });

  const call = async (method: string, path: string, body?: unknown): Promise<{ readonly id: string }> => {
    const answer = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return JSON.parse(await answer.text());
  };
  const submit = async (capture: object): Promise<string> => (await call('POST', '/jobs', { capture })).id;
  /** Opens the jobs page in a tab that already has the token. */
  const openQueue = async (fragment = ''): ReturnType<typeof openPage> => {
    const opened = await openPage(browser, service.url);
    await opened.page.evaluateOnNewDocument((token) => sessionStorage.setItem('capture-token', token), TOKEN);
    await opened.page.goto(`${service.url}/queue${fragment}`);
    await opened.page.waitForSelector('[data-ready]');
    return opened;
  };

  it('shows a job that the playground submitted, with its picture, without a reload', async () => {
    const { page, complaints } = await openPage(browser, service.url);
    const setup = { html_content: GREEN.html_content, window_width: '400', window_height: '250' };
    await page.goto(`${service.url}/#${new URLSearchParams(setup).toString()}`);
    await page.waitForSelector('[data-ready]');

    await page.click('#submit-job');
    await page.waitForSelector('#token-dialog[open]');
    await page.type('#token', TOKEN);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#submitted-job a');
    expect(await textOf(page, '#announcement')).toBe('Submitted as a job');
    await Promise.all([page.waitForNavigation(), page.click('#submitted-job a')]);
    await page.waitForSelector('.job[data-state=done] canvas[data-drawn]');

    expect(new URL(page.url()).pathname).toBe('/queue');
    expect(await textOf(page, '.job')).toMatch(/^Markup\s*Done\s*PNG, [\d.]+ K?B\s*Submitted .*; took .*s/);
    const pixel = await page.$eval('.job canvas', (canvas) => [
      ...(canvas.getContext('2d')?.getImageData(128, 80, 1, 1).data ?? []),
    ]);
    expect(pixel).toEqual([0, 255, 0, 255]);
    const link = await page.$eval('.job-actions a', ({ href }) => href);
    expect((await fetch(link)).headers.get('content-type')).toBe('image/png');
    expect(complaints).toEqual([]);
  });

  it('shows the problem of a job next to its field', async () => {
    const { page } = await openQueue();
    await page.goto(`${service.url}/#html_content=x&window_width=99999`);
    await page.waitForSelector('[data-ready]');

    await page.click('#submit-job');
    await page.waitForSelector('#notices .failure');

    expect(await textOf(page, '#field-window_width-problem')).toBe('Must be a whole number from 1 to 7680.');
    expect(await textOf(page, '#notices')).toContain('Invalid request parameters');
  });

  it('shows the error of a failed job, with untrusted content as text', async () => {
    const id = await submit({ ...GREEN, selector: HOSTILE });
    const { page, complaints } = await openQueue('#failed');

    await page.waitForSelector(`[data-id="${id}"]`);

    expect(await textOf(page, `[data-id="${id}"] .failure`)).toContain(HOSTILE);
    expect(await textOf(page, `[data-id="${id}"] .failure`)).toContain('ElementNotFoundError');
    expect(await page.evaluate(() => ['pwned' in globalThis, document.querySelector('main img')])).toEqual([
      false,
      null,
    ]);
    expect(complaints).toEqual([]);
  });

  it('cancels queued and running jobs and keeps the focus', async () => {
    const running = await submit(BLOCKER);
    const waiting = await submit(GREEN);
    const { page, complaints } = await openQueue();
    await page.waitForSelector(`[data-id="${running}"][data-state=running]`);
    const states = await page.$$eval('.job', (rows) => rows.map((row) => row.getAttribute('data-state')));

    await page.focus(`[data-id="${waiting}"] button`);
    await page.keyboard.press('Enter');
    await page.waitForSelector(`[data-id="${waiting}"][data-state=cancelled]`);
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('data-id'));
    await page.click(`[data-id="${running}"] button`);
    await page.waitForSelector(`[data-id="${running}"][data-state=cancelled]`);

    expect(states.slice(0, 2)).toEqual(['running', 'queued']);
    expect(focused).toBe(waiting);
    await eventually(async () => expect(await textOf(page, '#announcement')).toBe('The job is cancelled'));
    expect(complaints).toEqual([]);
  });

  it('requires the token', async () => {
    const { page } = await openPage(browser, service.url);
    await page.goto(`${service.url}/queue`);
    await page.waitForSelector('#token-dialog[open]');
    await page.type('#token', 'wrong');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#token-problem:not([hidden])');
    await page.keyboard.press('Escape');
    await page.waitForSelector('#notices .failure');
    const refused = await textOf(page, '#notices');
    const jobs = await page.$$('.job');

    await page.click('#token-button');
    await page.type('#token', TOKEN);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.job');

    expect(refused).toContain('Invalid authentication token');
    expect(jobs).toEqual([]);
    expect(await textOf(page, '#notices')).toBe('');
  });

  it('reports that jobs cannot be read, and recovers when they can', async () => {
    const { page } = await openQueue();
    let answers = 0;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isList = new URL(request.url()).pathname === '/jobs';
      const error = { message: 'The storage is away', error_type: 'StorageError' };
      const answer = { status: 502, contentType: 'application/json', body: JSON.stringify(error) };
      void (isList && (answers += 1) === 1 ? request.respond(answer) : request.continue());
    });

    await page.click('[role=tab]');
    await page.waitForSelector('#notices .failure');
    const words = await textOf(page, '#notices');
    const shown = await page.$$eval('.job', ({ length }) => length);
    await page.waitForFunction(() => document.querySelector('#notices')?.textContent === '');

    expect(words).toMatch(/The storage is away.*StorageError.*status 502/);
    expect(shown).toBeGreaterThan(0);
  });

  it.each(['light', 'dark'])('has no axe violations in %s, and fits the window', async (theme) => {
    const { page } = await openQueue();
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await page.waitForSelector('.job');
    const violations = await findViolations(page);

    const widths: number[] = [];
    for (const width of [390, 1280]) {
      await page.setViewport({ width, height: 800 });
      widths.push(await page.evaluate(() => document.documentElement.scrollWidth));
    }

    expect(violations).toEqual([]);
    expect(widths).toEqual([390, 1280]);
  });

  it('filters jobs by state, and loads more on request', async () => {
    const blocker = await submit(BLOCKER);
    await call('POST', '/jobs/batch', { captures: Array.from({ length: 60 }, () => GREEN) });
    const { page, complaints } = await openQueue('#queued');
    const countJobs = (): Promise<number> => page.$$eval('.job', ({ length }) => length);
    const first = await countJobs();

    await page.click('#more');
    await page.waitForFunction(() => document.querySelectorAll('.job').length === 60);
    expect(await page.$eval('#more', (more) => more.checkVisibility())).toBe(false);
    expect(new Set(await page.$$eval('.job', (rows) => rows.map((row) => row.getAttribute('data-id')))).size).toBe(60);
    await page.focus('[role=tab][aria-selected=true]');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelectorAll('.job').length === 1);
    const shown = await page.$eval('.job', (row) => row.getAttribute('data-id'));
    await call('DELETE', `/jobs/${blocker}`);
    await page.waitForSelector(`[data-id="${blocker}"]`, { hidden: true }); // the list refreshes itself

    expect([first, shown]).toEqual([50, blocker]);
    expect(new URL(page.url()).hash).toBe('#running');
    expect(complaints).toEqual([]);
  });
});

async function textOf(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, ({ textContent }) => textContent);
}
