import { beforeAll, describe, expect, it } from 'vitest';
import type { Colour } from '../../support/colour.ts';
import { capture } from '../../support/http.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const GREEN: Colour = [0, 160, 0];
const WINDOW = { window_width: 300, window_height: 200 } as const;
const TEXT = '<p>A sentence of this page. </p>'.repeat(9);
const BARE = '<!doctype html><style>body { margin: 0; font: 20px sans-serif }</style>';
const LONG = '<div style="height:900px"></div>';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function afterClick(html: string, fields: object = {}): Promise<Picture> {
  const actions = [{ type: 'click', selector: '#open' }];
  const answer = await capture(service.url, { html_content: BARE + html, ...WINDOW, actions, ...fields });
  expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, null]);
  return await readPicture(answer.body);
}

const MENU = `<button id="open" style="height:40px">Open</button><div id="menu" hidden style="height:60px;background:rgb(0,160,0)"></div>${TEXT}${LONG}
  <script>document.getElementById('open').onclick = () => { document.getElementById('menu').hidden = false };`;

describe('what an action has opened', () => {
  it('is in a picture of the whole page, although the page closes it when it is scrolled', async () => {
    const html = `${MENU} addEventListener('scroll', () => { document.getElementById('menu').hidden = true })</script>`;

    expectColour(await afterClick(html, { full_page: true }), 150, 70, GREEN);
  });

  it('is there if the page was scrolled to it, which the way back to the top does not change', async () => {
    const html = `${LONG}${MENU} addEventListener('scroll', () => { document.getElementById('menu').hidden = true })</script>`;

    expectColour(await afterClick(html, { full_page: true }), 150, 970, GREEN);
  });

  it('is there if it closes by itself after seconds, unless more page time is requested', async () => {
    const html = `${MENU} document.getElementById('open').addEventListener('click', () => setTimeout(() => { document.getElementById('menu').hidden = true }, 3000))</script>`;

    expectColour(await afterClick(html), 150, 70, GREEN);
    const later = await afterClick(html, { run_ahead: 5_000 });
    expect(later.pixel(150, 70)).not.toEqual([...GREEN, 255]);
  });

  it('stands beside content that scrolling has loaded before', async () => {
    const late = '<div id="late" style="height:100px"></div>';
    const html = `${MENU.replace('<script>', `${late}<script>`)} new IntersectionObserver(([entry]) => {
      if (entry.isIntersecting) entry.target.style.background = 'rgb(0,160,0)' }).observe(document.getElementById('late'))</script>`;

    const picture = await afterClick(html, { full_page: true });

    expectColour(picture, 150, 70, GREEN);
    expectColour(picture, 150, picture.height - 50, GREEN);
  });
});
