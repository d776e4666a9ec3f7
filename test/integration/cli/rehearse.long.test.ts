import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command-line.ts';
import { createFixtureSite } from '../../support/fixture-site.ts';
import { eventually } from '../../support/eventually.ts';
import { sendHtml } from '../../support/pages/exchange.ts';
import { startService } from '../../support/service.ts';

const PACKAGES = join(import.meta.dirname, '../../../node_modules');
const [PRESENT, BEFORE] = [join(PACKAGES, '@sparticuz/chromium'), join(PACKAGES, 'chromium-before')];
/** Shows the version of the browser. */
const VERSIONED = '<p>Text</p><script>document.write(navigator.userAgent.match(/Chrome.(\\d+)/)[1])</script>';
const CAPTURES = [
  { html_content: '<h1>Invoice</h1><p>Text of it', format: 'pdf', pdf_password: 'secret' },
  { html_content: '<p>A picture', window_width: 300, window_height: 200 },
  { html_content: '<h1>Head', format: 'markdown' },
  { html_content: '<p>Saved', format: 'mhtml' },
];

interface Report {
  readonly before: { readonly browser: string; readonly peak_bytes: number };
  readonly after: { readonly browser: string };
  readonly counts: Readonly<Record<string, number>>;
  readonly error?: string;
}

describe('capture-service rehearse', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rehearse-test-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function rehearse(captures: readonly object[], browser: string) {
    await writeFile(join(folder, 'list.json'), JSON.stringify(captures));
    const { code, errors } = await runCommand(['rehearse', 'list.json', '--with', browser], {
      folder,
      environment: { BROWSER_EXECUTABLE: PRESENT },
    });
    const report: Report = JSON.parse(await readFile(join(folder, 'rehearsal/report.json'), 'utf8'));
    return { code, errors, report, html: await readFile(join(folder, 'rehearsal/report.html'), 'utf8') };
  }

  it('finds nothing with the same browser on both sides', async () => {
    const { code, report } = await rehearse(CAPTURES, PRESENT);
    expect([code, report.counts]).toEqual([0, { same: 4, moved: 0, varies: 0, failed: 0 }]);
    expect(report.before.browser).toBe(report.after.browser);
    expect(report.before.peak_bytes).toBeGreaterThan(10_000_000);
  });

  it('shows what differs with another browser, and ends with 1', async () => {
    const captures = [...CAPTURES, { html_content: VERSIONED, format: 'pdf' }, { html_content: VERSIONED }];
    const { code, report, html, errors } = await rehearse(captures, BEFORE);
    expect([code, report.counts]).toEqual([1, { same: 4, moved: 2, varies: 0, failed: 0 }]);
    expect(report.after.browser).toContain('/152.');
    expect(errors).toContain('page 1 lost 1 word (153) and got 1 word (152)');
    expect(html.match(/data:image\/webp/g)).toHaveLength(4);
  });

  it('names a page that differs by itself', async () => {
    const body =
      '<p id=a></p><script>a.textContent = performance.memory ? crypto.subtle : 0; const u = URL.createObjectURL(new Blob([""])); a.textContent = u</script>';
    const { code, report } = await rehearse([{ html_content: body, format: 'markdown' }], PRESENT);
    expect([code, report.counts['varies']]).toEqual([0, 1]);
  });

  it.each(['/bin/false', '/nowhere/chrome'])('says that %s can not be used', async (browser) => {
    const { code, errors, report } = await rehearse(CAPTURES, browser);
    expect(code).toBe(1);
    expect(report.error).toContain(`${browser} can't be used`);
    expect(errors).toContain(`${browser} can't be used`);
  });

  it('shows the error of a capture that both browsers refuse, and its markup as text', async () => {
    const captures = [{ html_content: '<p>', wrong: '<script>alert(1)</script>' }];
    const { code, errors, html } = await rehearse(captures, PRESENT);
    expect(code).toBe(1);
    expect(errors).toContain('wrong: is not a known field');
    expect(html).not.toContain('<script>');
  });

  it('refuses a folder that can not be written before it starts', async () => {
    await writeFile(join(folder, 'list.json'), JSON.stringify(CAPTURES));
    await writeFile(join(folder, 'file'), '');
    const args = ['rehearse', 'list.json', '--with', PRESENT, '-o', 'file/inside'];
    const { code, errors } = await runCommand(args, { folder });
    expect([code, errors]).toEqual([2, expect.stringContaining("can't be written")]);
  });

  it('takes the pages of jobs', async () => {
    const data = join(folder, 'data');
    await mkdir(data);
    const settings = { DATA_DIR: data, WEBHOOK_URLS: 'true', WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}` };
    await using service = await startService(settings);
    await using site = await createFixtureSite({
      moreRoutes: { '/page': ({ response }) => sendHtml(response, '<p>Text') },
    });
    const url = site.url('/page');
    const submitted = await fetch(`${service.url}/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ capture: { url, format: 'markdown' } }),
    });
    expect(submitted.status).toBe(202);
    await eventually(async () => {
      const { jobs }: { jobs: { state: string }[] } = JSON.parse(await (await fetch(`${service.url}/jobs`)).text());
      expect(jobs[0]?.state).toBe('done');
    });
    const args = ['rehearse', '--from-jobs', '7d', '--service', service.url, '--with', PRESENT];
    const environment = { BROWSER_EXECUTABLE: PRESENT, EGRESS_ALLOW: '127.0.0.0/8' };
    const { code, errors } = await runCommand(args, { folder, environment });
    expect([code, errors]).toEqual([0, expect.stringContaining(`same 1: ${url} as markdown`)]);
  });
});

describe('BROWSER_NEXT', () => {
  it('counts captures that differ, and names them in the log', async () => {
    const settings = {
      BROWSER_EXECUTABLE: PRESENT,
      BROWSER_NEXT: BEFORE,
      BROWSER_NEXT_SHARE: '1',
      METRICS_ENABLED: 'true',
    };
    await using service = await startService(settings);
    for (const html_content of ['<p>same', VERSIONED])
      await fetch(`${service.url}/capture`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ html_content, window_width: 300, window_height: 200 }),
      });
    await eventually(() =>
      expect(service.logs()).toContainEqual(
        expect.objectContaining({ msg: 'the next browser gives another result', format: 'png', count: 1 }),
      ),
    );
    expect(await service.stop()).toBe(0);
  }, 60_000);

  it('does not keep the service from starting if it is no browser', async () => {
    await using service = await startService({ BROWSER_NEXT: '/nowhere/chrome' });
    expect(service.logs()).toContainEqual(
      expect.objectContaining({ msg: 'BROWSER_NEXT can not be used: no capture is made with it' }),
    );
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  });
});
