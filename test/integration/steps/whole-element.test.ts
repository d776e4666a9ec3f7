import { beforeAll, describe, expect, it } from 'vitest';
import type { Colour } from '../../support/colour.ts';
import { readError } from '../../support/errors.ts';
import { capture } from '../../support/http.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const WINDOW = { window_width: 480, window_height: 300 } as const;
const ROWS = 20;
const ROW = 50; // height in CSS pixels
const GREEN: Colour = [0, 160, 0];
const RED: Colour = [255, 0, 0];
const BLUE: Colour = [0, 0, 255];

const colourOf = (row: number): Colour => [row * 12, 100, 50];
const ALL_ROWS = Array.from(
  { length: ROWS },
  (_, row) => `<p style="margin:0;height:${ROW}px;background:rgb(${colourOf(row).join()})">row${row}</p>`,
).join('');
const BARE = '<!doctype html><style>body { margin: 0 }</style>';
const FULL = '<!doctype html><style>html, body { margin: 0; height: 100%; overflow: hidden }</style>';
const LIST = `<article id=list>${ALL_ROWS}</article>`;
const framed = (html: string): string => `srcdoc="${html.replaceAll('"', '&quot;')}"`;

function expectRows(picture: Picture, width: number): void {
  expect([picture.width, picture.height]).toEqual([width, ROWS * ROW]);
  for (let row = 0; row < ROWS; row++)
    for (const x of [2, width - 5]) expectColour(picture, x, row * ROW + 46, colourOf(row));
}

describe('a picture of an element', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  const answerOf = (html_content: string, fields: object): ReturnType<typeof capture> =>
    capture(service.url, { html_content, ...WINDOW, ...fields });
  const pictureOf = async (html: string, fields: object = { selector: '#list' }): Promise<Picture> => {
    const answer = await answerOf(html, fields);
    expect(answer.status === 200 ? '' : answer.body.toString()).toBe('');
    return await readPicture(answer.body);
  };

  it.each([
    ['in a page', `${BARE}${LIST}`, 480],
    ['in a shell', `${FULL}<main style="height:100%;overflow:auto">${LIST}</main>`, 480],
    ['that is the shell', `${FULL}<main id=list style="height:100%;overflow:auto">${ALL_ROWS}</main>`, 480],
    ['in a small box', `${BARE}<h1>Log</h1><div style="height:100px;width:200px;overflow:auto">${LIST}</div>`, 200],
    [
      'in a dialog',
      `${BARE}<dialog style="max-height:50vh;overflow:auto;padding:0;border:0;width:300px">${LIST}</dialog><script>document.querySelector('dialog').showModal()</script>`,
      300,
    ],
    [
      'in a fixed box in the middle',
      `${BARE}<div style="position:fixed;top:50%;left:50%;transform:translate(-50%,-50%);width:200px;height:200px;overflow:auto">${LIST}</div>`,
      200,
    ],
    [
      'in a frame',
      `${BARE}<iframe style="border:0;width:300px;height:100px" ${framed(`${BARE}${LIST}`)}></iframe>`,
      300,
    ],
    [
      'in a shadow tree that scrolls',
      `${BARE}<x-box style="display:block;height:100px;overflow:auto">${LIST}</x-box><script>document.querySelector('x-box').attachShadow({ mode: 'open' }).innerHTML = '<div style="height:90px;overflow:auto"><slot></slot></div>'</script>`,
      480,
    ],
    [
      'in a box with fixed rows',
      `${FULL}<div style="display:grid;grid-template-rows:40px 100px"><b></b><div style="overflow:auto">${LIST}</div></div>`,
      480,
    ],
  ])('shows all of it %s', async (_where, html, width) => {
    expectRows(await pictureOf(html), width);
  });

  it('shows a table that is wider than its box', async () => {
    const picture = await pictureOf(
      `${BARE}<div style="width:200px;overflow-x:auto"><div id=list style="width:900px;height:20px;background:linear-gradient(90deg,#00f 50%,#00a000 50%)"></div></div>`,
    );

    expect(picture.width).toBe(900);
    expectColour(picture, 890, 10, GREEN);
  });

  it.each([
    ['a small box that scrolls', `<div id=list style="height:100px;overflow:auto">${ALL_ROWS}</div>`, [480, 100]],
    ['what a box hides', `<div style="height:100px;overflow:hidden">${LIST}</div>`, [480, 100]],
    [
      'what a clipped box hides',
      `<div style="width:100px;overflow-x:clip">${LIST.replace('id=list', 'id=list style="width:300px"')}</div>`,
      [100, 1_000],
    ],
  ])('does not open %s', async (_what, html, size) => {
    const picture = await pictureOf(`${BARE}${html}`);

    expect([picture.width, picture.height]).toEqual(size);
    expectColour(picture, 20, 46, colourOf(0));
  });

  it.each([
    ['a closed box', '<div style="height:0;overflow:hidden"><p id=list>text</p></div>'],
    ['a frame without size', `<iframe style="width:0;height:0;border:0" ${framed('<p id=list>text')}></iframe>`],
  ])('is an error for an element in %s', async (_where, html) => {
    expect(readError(await answerOf(`${BARE}${html}`, { selector: '#list' }))).toMatchObject({
      status: 400,
      error_type: 'ElementNotFoundError',
    });
  });

  it.each([
    ['scrolled out of view', `${FULL}<main style="height:100%;overflow:auto">${ALL_ROWS}<p id=list>text</p></main>`],
    ['folded', `${BARE}<div style="height:0;overflow:hidden"><p id=list>text</p></div>`],
  ])('but no error in markdown, html and pdf if it is %s', async (_how, html) => {
    for (const format of ['markdown', 'html', 'pdf'])
      expect((await answerOf(html, { selector: '#list', format })).status).toBe(200);
  });

  it('scrolls a slide of a carousel into view', async () => {
    const slides = ['red', 'blue', '#00a000'].map(
      (colour) => `<b style="flex:none;width:200px;height:80px;background:${colour}"></b>`,
    );
    const picture = await pictureOf(
      `${BARE}<div style="display:flex;width:200px;overflow:hidden">${slides.join('')}</div>`,
      {
        selector: 'b:nth-child(3)',
      },
    );

    expect([picture.width, picture.height]).toEqual([200, 80]);
    expectColour(picture, 100, 40, GREEN);
  });

  it.each([
    ['left of the page', 'margin-left:-60px;width:300px', 300],
    ['left of a page that is positioned', 'margin-left:-60px;width:300px', 300],
    ['wider than the page', 'margin:0 -60px', 600],
  ])('shows an element that begins %s', async (where, style, width) => {
    const root = where.includes('positioned') ? '<style>html { position: relative; left: 0 }</style>' : '';
    for (const pixel_density of [1, 2]) {
      const picture = await pictureOf(
        `${BARE}${root}<div style="height:20px"></div><div id=list style="${style};height:40px;background:linear-gradient(90deg,#00f 50px,#00a000 50px)"></div>`,
        { selector: '#list', pixel_density },
      );

      expect([picture.width, picture.height]).toEqual([width * pixel_density, 40 * pixel_density]);
      expectColour(picture, 4, 4, BLUE);
      expectColour(picture, 49 * pixel_density, 4, BLUE);
      expectColour(picture, width * pixel_density - 4, 4, GREEN);
    }
  });

  it('shows an element of a page from right to left', async () => {
    const picture = await pictureOf(
      `<!doctype html><html dir=rtl><style>body { margin: 0 }</style><div id=list style="width:1000px;height:40px;background:linear-gradient(90deg,#00f 50%,#00a000 50%)"></div>`,
    );

    expect([picture.width, picture.height]).toEqual([1_000, 40]);
    expectColour(picture, 4, 4, BLUE);
    expectColour(picture, 996, 4, GREEN);
  });

  it.each([
    ['a scaled frame', 'transform:scale(.5);transform-origin:0 0', ''],
    ['a frame of a smaller page', '', 'zoom:.5'],
    ['a turned page', 'scale:.5;transform-origin:0 0', ''],
  ])('is in the right place in %s', async (_what, style, page) => {
    const picture = await pictureOf(
      `${BARE}<div style="height:40px"></div><div style="${page}"><iframe style="border:10px solid;padding:6px;width:400px;height:300px;${style}" ${framed(`${BARE}<div style="height:60px"></div><div id=list style="margin-left:80px;width:100px;height:100px;background:red"></div>`)}></iframe></div>`,
    );

    expect([picture.width, picture.height]).toEqual([50, 50]);
    for (const [x, y] of [
      [1, 1],
      [48, 48],
    ] as const)
      expectColour(picture, x, y, RED);
  });

  const SECTIONS = '<section></section>'.repeat(6);
  const SEEN = `<style>section { height: 200px }</style><script>
    const seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) target.style.background = '#00a000';
    });
    for (const section of document.querySelectorAll('section')) seen.observe(section);
  </script>`;
  const LAZY = `<style>img { display: block; height: 200px; width: 100px }</style>`;
  const PICTURE = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="200"><rect width="100" height="200" fill="#00a000"/></svg>')}`;

  it.each([
    ['that appears when it is scrolled to', `<main>${SECTIONS}</main>${SEEN}`],
    ['with lazy pictures', `<main>${`<img loading=lazy src="${PICTURE}">`.repeat(6)}</main>${LAZY}`],
    [
      'that the browser skips out of view',
      `<style>section { content-visibility: auto; contain-intrinsic-size: 9px; } b { display: block; height: 200px; background: #00a000 }</style><main>${'<section><b></b></section>'.repeat(6)}</main>`,
    ],
  ])('has all of an element %s, and so has a rectangle', async (_what, body) => {
    const html = `${BARE}<div style="height:900px"></div>${body}`;

    const element = await pictureOf(html, { selector: 'main' });
    const rectangle = await pictureOf(html, { clip: { x: 0, y: 900, width: 90, height: 1_200 } });

    expect([element.height, rectangle.height]).toEqual([1_200, 1_200]);
    for (let section = 0; section < 6; section++)
      for (const picture of [element, rectangle]) expectColour(picture, 40, section * 200 + 100, GREEN);
  });

  it('has a rectangle of what a shell hides', async () => {
    const picture = await pictureOf(`${FULL}<main style="height:100%;overflow:auto">${ALL_ROWS}</main>`, {
      clip: { x: 10, y: 500, width: 100, height: 200 },
    });

    for (let row = 10; row < 14; row++) expectColour(picture, 50, (row - 10) * ROW + 46, colourOf(row));
  });

  it('has a section with a fixed background', async () => {
    const picture = await pictureOf(
      `${BARE}<div style="height:900px"></div><section style="height:100px;background:linear-gradient(#00a000, #00a000) fixed"></section>`,
      { selector: 'section' },
    );

    expectColour(picture, 240, 50, GREEN);
  });

  const HOVERED = `${BARE}<style>
    b { display: block; width: 100px; height: 40px; background: red }
    b:hover { background: #00a000 }
    b:hover + i { background: #00f }
    i { display: block; width: 100px; height: 20px }
  </style><div style="height:900px"></div><div id=area><b></b><i></i></div><div style="height:900px"></div>`;
  const BY_SCRIPT = `${BARE}<style>b { display: block; width: 100px; height: 40px; background: red } i { display: block; width: 100px; height: 20px }</style>
    <div style="height:900px"></div><div id=area><b></b><i></i></div><div style="height:900px"></div><script>
      const b = document.querySelector('b');
      const i = document.querySelector('i');
      b.addEventListener('mouseenter', () => { b.style.background = '#00a000'; i.style.background = '#00f'; });
      b.addEventListener('mouseleave', () => { b.style.background = 'red'; });
      document.addEventListener('mouseover', ({ target }) => { if (target !== b) i.style.background = 'red'; });
    </script>`;

  it.each([
    ['by a style', HOVERED],
    ['by a script', BY_SCRIPT],
  ])('keeps what the mouse has changed %s', async (_how, html) => {
    const actions = [{ type: 'hover', selector: 'b' }];

    const element = await pictureOf(html, { selector: '#area', actions });
    const page = await pictureOf(html, { full_page: true, actions });

    for (const [picture, top] of [
      [element, 0],
      [page, 900],
    ] as const) {
      expectColour(picture, 50, top + 20, GREEN);
      expectColour(picture, 50, top + 50, BLUE);
    }
  });

  it('keeps the focus of a field', async () => {
    const html = `${BARE}<style>input { margin: 0; border: 0; outline: 0; width: 100px; height: 40px; background: red } input:focus { background: #00a000 }</style><div style="height:900px"></div><input><div style="height:900px"></div>`;
    const picture = await pictureOf(html, { full_page: true, actions: [{ type: 'click', selector: 'input' }] });

    expectColour(picture, 50, 930, GREEN);
  });

  it('finds an element that only appears when the page is scrolled', async () => {
    const picture = await pictureOf(
      `${BARE}<div style="height:900px"></div><section>…</section><script>
        new IntersectionObserver(([{ isIntersecting, target }]) => {
          if (isIntersecting) target.innerHTML = '<div id=list style="width:50px;height:50px;background:#00a000"></div>';
        }).observe(document.querySelector('section'));
      </script>`,
    );

    expectColour(picture, 25, 25, GREEN);
  });
});
