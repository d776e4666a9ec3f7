import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from 'puppeteer';
import { expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { COLOURS, startPageWithFiles } from '../../support/pages/page-with-files.ts';
import { readPicture } from '../../support/pixels.ts';
import { sharedService } from '../../support/shared-service.ts';

const FIREFOX = '/usr/bin/firefox-esr';
const hasFirefox = await access(FIREFOX).then(
  () => true,
  () => false,
);

it.skipIf(!hasFirefox)(
  `single_html looks the same in Firefox, without a request${hasFirefox ? '' : ' (needs firefox-esr)'}`,
  { timeout: 120_000 },
  async () => {
    await using site = await startPageWithFiles();
    const { url } = await sharedService();
    const { body } = await capture(url, { url: `${site.origin}/page`, format: 'single_html' });
    const folder = await mkdtemp(join(tmpdir(), 'single-html-'));
    const file = join(folder, 'page.html');
    await writeFile(file, body);
    const browser = await launch({ browser: 'firefox', executablePath: FIREFOX });
    try {
      site.requests.length = 0;
      const page = await browser.newPage();
      await page.setViewport({ width: 600, height: 200 });
      const requested: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      await page.goto(pathToFileURL(file).href);
      const picture = await readPicture(Buffer.from(await page.screenshot()));

      const rgb = { red: '255,0,0', lime: '0,255,0', blue: '0,0,255' };
      const colours = COLOURS.map((_name, index) =>
        picture
          .pixel(10 + 30 * index, 10)
          .slice(0, 3)
          .join(),
      );
      expect(colours).toEqual(COLOURS.map((name) => rgb[name]));
      expect(requested.filter((address) => address.startsWith('http'))).toEqual([]);
      expect(site.requests).toEqual([]);
    } finally {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
