import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR, toCss } from '../../support/colour.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type Routes, sendHtml } from '../../support/pages/exchange.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/** A page with frames of every kind. The first of them have contexts whose numbers another process has used, too. */
const LAST = `<!doctype html><title>last</title><body style="margin:0;background:${toCss(COLOUR.green)}"><h1>last page</h1>
  <script>document.body.append(document.createElement('iframe'))</script>
  <iframe srcdoc="a frame" hidden></iframe><iframe src="/last/frame" hidden></iframe><iframe sandbox src="/last/frame" hidden></iframe>
  <iframe src="data:text/html,a frame" hidden></iframe>
  <script>
    const other = document.createElement('iframe');
    other.src = '//' + (location.hostname === 'localhost' ? '127.0.0.1' : 'localhost') + ':' + location.port + '/last/frame';
    document.body.append(other);
    for (const frame of document.querySelectorAll('iframe')) frame.style.cssText = 'position:absolute;left:0;top:150px;width:10px;height:10px';
  </script>`;

/** Ways to another page. */
const WAYS: Readonly<Record<string, (to: string) => string>> = {
  'a script': (to) => `<script>location.replace('${to}')</script>`,
  'a refresh': (to) => `<meta http-equiv="refresh" content="0; url=${to}">`,
  'a form': (to) => `<form action="${to}"></form><script>document.forms[0].submit()</script>`,
  'a click of an action': (to) => `<a href="${to}">go</a>`,
};

const TIMES = Number(process.env['NAVIGATIONS'] ?? 12) / 12;

describe('a page that leads to a page of another site', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    const moreRoutes: Routes = {
      '/last/page': ({ response }) => sendHtml(response, LAST),
      '/last/frame': ({ response }) => sendHtml(response, '<p>a frame</p>'),
      '/last/first': ({ response, url, crossSiteOrigin }) => {
        const way = WAYS[url.searchParams.get('way') ?? '']?.(`${crossSiteOrigin}/last/page`);
        sendHtml(response, `<!doctype html><body style="background:${toCss(COLOUR.red)}">first page${way}`);
      },
    };
    [site, service] = await Promise.all([createFixtureSite({ moreRoutes }), sharedService()]);
  });
  afterAll(() => site.close());

  describe.each(Object.keys(WAYS))('by %s', (way) => {
    it.each(['html', 'markdown', 'png'])('is captured as the last page, as %s', async (format) => {
      for (let time = 0; time < TIMES; time++) {
        const answer = await capture(service.url, {
          url: site.url(`/last/first?${new URLSearchParams({ way })}`),
          format,
          ...(way === 'a click of an action' && { actions: [{ type: 'click', selector: 'a' }] }),
        });

        expect(answer.status).toBe(200);
        expect(await isLastPage(answer.body, format)).toBe(true);
      }
    });
  });
});

async function isLastPage(body: Buffer, format: string): Promise<boolean> {
  if (format !== 'png') return body.toString().includes('last page');
  return (await readPicture(body)).pixel(600, 400).slice(0, 3).join() === COLOUR.green.join();
}
