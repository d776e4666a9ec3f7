import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { HOSTILE_PAGE } from '../../support/pages/hostile.ts';
import { readPicture } from '../../support/pixels.ts';
import { environmentOf, processGroup } from '../../support/processes.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKEN = 'beef'.repeat(16);
const SECRET = 'a-secret-for-links';

describe('isolated pages', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite(),
      startService({ AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: SECRET, POOL_SIZE: '2' }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>> = {}): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields }, { token: TOKEN });

  it('leave no cookie, storage or database for the next capture', async () => {
    const fields = { format: 'html', wait_for_network: 'idle' };
    await captureOf('/set-cookie', fields);

    const sources = await Promise.all([1, 2].map(async () => (await captureOf('/set-cookie', fields)).body.toString()));

    for (const source of sources) {
      expect(source).toContain('data-cookie="absent"');
      expect(source).toContain('data-storage="absent"');
      expect(source).toContain('data-database="absent"');
    }
  });

  it('see none of the secrets of the service', async () => {
    const requestsBefore = site.requests.length;

    await captureOf('/headers');

    const [seen] = site.requests.slice(requestsBefore);
    expect(seen?.headers['user-agent']).toMatch(/^Mozilla\/5\.0 /);
    expect(Object.keys(seen?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']));
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${TOKEN}|${SECRET}|x-request-id`, 'i'));
  });

  it('do not block each other with dialogs', async () => {
    const picture = await readPicture((await captureOf('/dialogs', { wait_for_network: 'idle' })).body);

    expect(picture.pixel(100, 100).slice(0, 3)).toEqual(HOSTILE_PAGE.done.colour);
  });

  it('open no other windows', async () => {
    const picture = await readPicture((await captureOf('/popups', { wait_for_network: 'idle' })).body);
    await captureOf('/plain');

    expect(picture.pixel(100, 100).slice(0, 3)).toEqual(HOSTILE_PAGE.done.colour);
    expect(site.requests.filter(({ path }) => path.includes('popup='))).toEqual([]);
  });

  it('save no downloads', async () => {
    const script = `addEventListener('load', () => a.click())`;
    const link = `<a id="a" download href="${site.url('/download')}">x</a><script>${script}</script>`;

    await captureOf('/download');
    await capture(service.url, { html_content: link, wait_for_network: 'idle' }, { token: TOKEN });

    const files = readdirSync(service.temporaryFolder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /report|\.bin$|crdownload|download$/i.test(file))).toEqual([]);
  });

  it('have no secret in any process of the browser', () => {
    const browser = service.browserPid();
    const processes = processGroup(browser);

    expect(processes.length).toBeGreaterThan(1);
    expect(environmentOf(browser)).toContain('LANG=');
    for (const { pid } of processes) {
      expect(environmentOf(pid)).not.toMatch(new RegExp(`AUTH_TOKEN|URL_SIGNING|${TOKEN}|${SECRET}`));
    }
  });
});
