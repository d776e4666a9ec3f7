import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { readPdf } from '../../support/pdf.ts';
import { renderersOf } from '../../support/processes.ts';
import { type RunningService, startService } from '../../support/service.ts';

const PAGE = '/poll-finite?crash';

describe('a page that crashes its renderer', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    // A pool of one page, so that only the captured page can crash.
    [site, service] = await Promise.all([createFixtureSite(), startService({ POOL_SIZE: '1' })]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  it('is reported as crashed after the second crash', async () => {
    const answering = capture(service.url, {
      url: site.url(PAGE),
      wait_for_selector: '#never',
    });

    for (const attempt of [1, 2]) {
      await pageRuns(attempt);
      for (const { pid } of renderersOf(service.browserPid())) process.kill(pid, 'SIGKILL');
    }

    expect(readError(await answering)).toEqual({
      status: 500,
      error_type: 'PageCrashedError',
      message: 'The page crashed or closed its tab, twice',
    });
  });

  it('is retried once', async () => {
    const before = pageStarts();
    const answering = capture(service.url, {
      url: site.url(PAGE),
      wait_for_selector: '[data-done]',
    });

    await pageRuns(before + 1);
    for (const { pid } of renderersOf(service.browserPid())) process.kill(pid, 'SIGKILL');

    expect((await answering).status).toBe(200);
    expect(pageStarts()).toBe(before + 2);
  });

  it('is printed without tags, with a warning, if the print with tags crashed', async () => {
    const before = site.requests.length;
    const requested = (): number =>
      site.requests.slice(before).filter(({ path }) => path === '/answer-after?ms=3000').length;
    // The first event comes before the print, and the second with it.
    const waits = `() => { const r = new XMLHttpRequest(); r.open('GET', '${site.url('/answer-after?ms=3000')}', false); try { r.send() } catch {} }`;
    const script = `addEventListener('beforeprint', () => addEventListener('beforeprint', ${waits}), { once: true })`;
    const answering = capture(service.url, {
      html_content: `<h1>Heading</h1><script>${script}</script>`,
      format: 'pdf',
      pdf_outline: true,
    });

    await eventually(() => {
      if (requested() === 0) throw new Error('it does not print');
    });
    for (const { pid } of renderersOf(service.browserPid())) process.kill(pid, 'SIGKILL');

    const { status, headers, body } = await answering;
    expect([status, headers.get('x-capture-warnings')]).toEqual([200, 'tags_left_out']);
    const { outline, pages } = await readPdf(body);
    expect([outline, pages[0]?.text, pages[0]?.tags]).toEqual([[], 'Heading', []]);
  });

  it('does not disturb the captures after it', async () => {
    const answer = await capture(service.url, { url: site.url('/plain') });

    expect(answer.status).toBe(200);
  });

  function pageStarts(): number {
    return site.requests.filter(({ path }) => path === PAGE).length;
  }

  /** Waits until the n-th attempt of the page sends a request by script, so that its renderer exists. */
  async function pageRuns(start: number): Promise<void> {
    await eventually(() => {
      const [seen, last] = [pageStarts(), site.requests.at(-1)?.path];
      if (seen < start || last !== '/answer-after?ms=300') throw new Error(`${seen} starts, then ${last}`);
    });
  }
});
