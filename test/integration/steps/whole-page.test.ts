import { beforeAll, describe, expect, it } from 'vitest';
import type { Colour } from '../../support/colour.ts';
import { capture } from '../../support/http.ts';
import { readPdf } from '../../support/pdf.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const WINDOW = { window_width: 480, window_height: 300 } as const;
const ROWS = 20;
const ROW = 50; // height in CSS pixels
const CONTENT = ROWS * ROW;
const RED: Colour = [255, 0, 0];
const GREEN: Colour = [0, 160, 0];
const BLUE: Colour = [0, 0, 255];
const WHITE: Colour = [255, 255, 255];

const colourOf = (row: number): Colour => [row * 12, 100, 50];
/** Rows with a colour and a word each. */
const ALL_ROWS = Array.from(
  { length: ROWS },
  (_, row) => `<p style="margin:0;height:${ROW}px;background:rgb(${colourOf(row).join()})">row${row}.`,
).join('</p>');
const BARE = '<!doctype html><style>body { margin: 0 }</style>';
/** A page as high as its window. */
const FULL = '<!doctype html><style>html, body { margin: 0; height: 100%; overflow: hidden }</style>';
const SCROLLER = (style: string): string => `<main style="overflow:auto;${style}">${ALL_ROWS}</p></main>`;

/** Where the rows are in a picture: at the left edge of the first one. */
interface Place {
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
}

function expectRows(picture: Picture, { x = 0, y = 0, width = 480, height = y + CONTENT }: Place): void {
  expect([picture.width, picture.height]).toEqual([width, height]);
  for (let row = 0; row < ROWS; row++) {
    for (const at of [x + 2, width - 12]) expectColour(picture, at, y + row * ROW + ROW - 4, colourOf(row));
  }
}

describe('a picture of the whole page', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });

  const answerOf = (html_content: string, fields: object = {}): ReturnType<typeof capture> =>
    capture(service.url, { html_content, full_page: true, ...WINDOW, ...fields });
  const pictureOf = async (html: string, fields: object = {}): Promise<Picture> => {
    const answer = await answerOf(html, fields);
    expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, null]);
    return await readPicture(answer.body);
  };
  describe('shows all that scrolls instead of the page', () => {
    const SHELLS: Readonly<Record<string, readonly [html: string, place: Place]>> = {
      'a box in a page with margins': [
        `<!doctype html>${SCROLLER('height:100vh')}`,
        { x: 8, y: 8, height: CONTENT + 16 },
      ],
      'a box above a footer that moves': [
        `${BARE}${SCROLLER('height:calc(100vh - 40px)')}<footer style="height:60px;background:blue">`,
        { height: CONTENT + 60 },
      ],
      'a box below a header': [
        `${FULL}<header style="height:40px"></header>${SCROLLER('height:calc(100% - 40px)')}`,
        { y: 40 },
      ],
      'a flexible box': [
        `${FULL}<div style="display:flex;flex-direction:column;height:100%"><header style="height:40px"></header>${SCROLLER('flex:1 1 0;min-height:0')}</div>`,
        { y: 40 },
      ],
      'a cell of a grid with fixed rows': [
        `${FULL}<div style="display:grid;grid-template-rows:40px calc(100vh - 60px) 20px;height:100vh"><header></header>${SCROLLER('')}<footer style="background:blue"></footer></div>`,
        { y: 40, height: CONTENT + 60 },
      ],
      'a box that its container contains': [
        `${FULL}<div style="contain:strict;height:100vh">${SCROLLER('height:100%')}</div>`,
        {},
      ],
      'a container for queries of its size': [`${FULL}${SCROLLER('container-type:size;height:100%')}`, {}],
      'the body': [
        `<!doctype html><style>html { height: 100%; overflow: hidden } body { margin: 0; height: 100%; overflow: auto }</style>${ALL_ROWS}`,
        {},
      ],
      'a box beside a fixed menu': [
        `${FULL}<nav style="position:fixed;inset:0 auto 0 0;width:120px;background:blue"></nav>${SCROLLER('position:absolute;inset:0 0 0 120px')}`,
        { x: 120 },
      ],
      'a fixed box': [`${FULL}<div style="position:fixed;inset:0;display:flex">${SCROLLER('flex:1')}</div>`, {}],
      'a box with a transition': [
        `${FULL}<style>* { transition: all 9s }</style>${SCROLLER('position:absolute;inset:0')}`,
        {},
      ],
      'a box of a form whose fields have names of properties': [
        `${FULL}<form style="height:100%">${SCROLLER('height:100%').replace('</main>', '<input name=parentElement hidden><input name=style hidden><input name=scrollHeight hidden></main>')}</form>`,
        {},
      ],
      'a shadow tree': [
        `${FULL}<x-app style="display:block;height:100%">${ALL_ROWS}</p></x-app><script>
          document.querySelector('x-app').attachShadow({ mode: 'open' }).innerHTML = '<main style="height:100%;overflow:auto"><slot></slot></main>';
        </script>`,
        {},
      ],
      'a frame that fills the window': [
        `${FULL}<iframe style="border:0;display:block;width:100%;height:100vh" srcdoc="${`${BARE}${ALL_ROWS}`.replaceAll('"', '&quot;')}"></iframe>`,
        {},
      ],
      'a box in a frame': [
        `${FULL}<iframe style="border:0;display:block;width:100%;height:100%" srcdoc="${`${FULL}${SCROLLER('height:100%')}`.replaceAll('"', '&quot;')}"></iframe>`,
        {},
      ],
      'a box that cuts what is beside it': [
        `${FULL}${SCROLLER('height:100%;overflow-x:hidden').replace('</main>', '<div style="width:900px;height:0"></div></main>')}`,
        {},
      ],
      'slides as high as the box': [
        `${FULL}<main style="height:100%;overflow:auto">${[0, 1, 2, 3]
          .map(
            (slide) => `<section style="height:100%;overflow:hidden;background:rgb(${colourOf(slide).join()})"><h1>s`,
          )
          .join('</section>')}</section></main>`,
        { height: 1_200, y: -1 },
      ],
    };

    it.each(Object.entries(SHELLS))('%s', async (_what, [html, place]) => {
      const picture = await pictureOf(html);

      if (place.y !== -1) {
        expectRows(picture, place);
        return;
      }
      expect([picture.width, picture.height]).toEqual([480, place.height]);
      for (const slide of [0, 1, 2, 3]) expectColour(picture, 470, slide * 300 + 290, colourOf(slide));
    });

    it.each(Object.keys(SHELLS).filter((what) => !what.startsWith('slides')))('in a pdf: %s', async (what) => {
      const [html = ''] = SHELLS[what] ?? [];
      const { body } = await answerOf(html, { format: 'pdf', full_page: undefined });

      const text = (await readPdf(body)).pages.map((page) => page.text).join(' ');
      for (let row = 0; row < ROWS; row++) expect(text.split(`row${row}.`)).toHaveLength(2);
    });

    it.each([
      ['lines of text', `<pre style="margin:0;font:20px/40px monospace">${'line\n'.repeat(40)}</pre>`, 1_600],
      ['a drawing', '<canvas width=100 height=1400 style="display:block"></canvas>', 1_400],
      ['a picture', `<svg width=100 height=1400 style="display:block"></svg>`, 1_400],
    ])('of nothing but %s', async (_what, content, height) => {
      const picture = await pictureOf(`${FULL}<main style="height:100%;overflow:auto">${content}</main>`);

      expect(picture.height).toBe(height);
    });

    it('with the sections that appear when it is scrolled', async () => {
      const sections = '<section style="height:200px"></section>'.repeat(6);
      const picture = await pictureOf(`${FULL}<main style="height:100%;overflow:auto">${sections}</main><script>
        const main = document.querySelector('main');
        const show = () => main.querySelectorAll('section').forEach((section) => {
          if (section.getBoundingClientRect().top < innerHeight * 0.8) section.style.background = '#00a000';
        });
        main.addEventListener('scroll', show);
        show();
      </script>`);

      expect(picture.height).toBe(1_200);
      for (let section = 0; section < 6; section++) expectColour(picture, 240, section * 200 + 100, GREEN);
    });
  });

  describe('leaves as it is', () => {
    it.each([
      ['a small box that scrolls', `${BARE}<div style="height:100px;overflow:auto">${ALL_ROWS}</div>`, [480, 300]],
      [
        'a menu beside the content',
        `${BARE}<nav style="position:fixed;inset:0 auto 0 0;width:100px;overflow:auto">${ALL_ROWS}</nav>`,
        [480, 300],
      ],
      [
        'a box below the window',
        `${BARE}<div style="height:100vh"></div><div style="height:100vh;overflow:auto">${ALL_ROWS}</div>`,
        [480, 600],
      ],
      [
        'a box in a page that scrolls more itself',
        `${BARE}<div style="height:100vh;overflow:auto">${ALL_ROWS}</div><div style="height:2000px"></div>`,
        [480, 2_300],
      ],
      [
        'a page that is meant to be scrolled sideways',
        `${BARE}<div style="width:900px;height:20px;background:#eee">`,
        [900, 300],
      ],
    ])('%s', async (_what, html, size) => {
      const picture = await pictureOf(html);

      expect([picture.width, picture.height]).toEqual(size);
    });

    it('a box that only a script scrolls, and says so', async () => {
      const answer = await answerOf(`${FULL}<main style="height:100%;overflow:hidden">${ALL_ROWS}</main>`);

      expect(answer.headers.get('x-capture-warnings')).toBe('scroll_incomplete');
      expect((await readPicture(answer.body)).height).toBe(300);
    });

    it('a list with only the items that are scrolled to, and says so', async () => {
      const answer = await answerOf(
        `${FULL}<main style="height:100%;overflow:auto;position:relative"><div style="height:9000px"></div><script>
          const main = document.querySelector('main');
          const draw = () => {
            for (const item of main.querySelectorAll('p')) item.remove();
            for (let k = Math.floor(main.scrollTop / 50); k * 50 < main.scrollTop + 300; k++)
              main.insertAdjacentHTML('beforeend', '<p style="position:absolute;margin:0;top:' + k * 50 + 'px">item');
          };
          main.addEventListener('scroll', draw);
          draw();
        </script></main>`,
      );

      expect(answer.headers.get('x-capture-warnings')).toBe('scroll_incomplete');
      expect((await readPicture(answer.body)).height).toBe(300);
    });
  });

  it.each([
    ['of the page', 'html, body { overflow-x: hidden }', ''],
    ['of the body alone', 'body { overflow-x: hidden }', ''],
    ['of a clipped page', 'html { overflow-x: clip }', ''],
    ['of a box', '', 'overflow:hidden;position:relative'],
  ])('is as wide as its window if a menu is outside %s', async (_where, rules, style) => {
    const picture = await pictureOf(
      `${BARE}<style>${rules}</style><div style="height:${CONTENT}px;${style}"><nav style="position:absolute;left:100%;top:0;width:200px;height:400px;background:red"></nav>${ALL_ROWS}</div>`,
    );

    expectRows(picture, {});
  });

  describe('has behind all of its content', () => {
    const HIGH = '<div style="height:1200px"></div>';
    const FIXED = 'position:fixed;inset:0;background:#00a000;';

    it.each([
      [
        'a fixed background of the body',
        `<style>body { background: #fff linear-gradient(#00a000, #00a000) fixed }</style>${HIGH}`,
      ],
      [
        'a fixed background of a page as high as its window',
        `<style>html { height: 100% } body { background: linear-gradient(#00a000, #00a000) no-repeat fixed }</style>${HIGH}`,
      ],
      [
        'a fixed background of a section',
        `<section style="background:linear-gradient(#00a000, #00a000) fixed">${HIGH}</section>`,
      ],
      [
        'a fixed background of a pseudo-element',
        `<style>section { position: relative } section::before { content: ''; position: absolute; inset: 0; background: linear-gradient(#00a000, #00a000) fixed }</style><section>${HIGH}</section>`,
      ],
      ['a fixed layer', `<div style="${FIXED}z-index:-1"></div>${HIGH}`],
      [
        'a fixed layer below positioned content',
        `<div style="${FIXED}"></div><main style="position:relative">text ${HIGH}</main>`,
      ],
      ['a fixed pseudo-element', `<style>body::before { content: ''; z-index: -1; ${FIXED} }</style>${HIGH}`],
      [
        'a fixed layer with a picture in it',
        `<div style="position:fixed;inset:0;z-index:-1"><svg style="width:100%;height:100%;background:#00a000"></svg></div>${HIGH}`,
      ],
    ])('%s', async (_what, body) => {
      const picture = await pictureOf(`${BARE}${body}`);

      expect(picture.height).toBeGreaterThanOrEqual(1_200);
      for (const y of [40, 350, 700, 1_190]) expectColour(picture, 240, y, GREEN);
    });

    it.each([
      ['a header', `<header style="position:fixed;inset:0 0 auto 0;height:30px;background:red"></header>`, 15],
      ['a cover', `<div style="position:fixed;inset:0;background:red"></div>`, 150],
    ])('but %s that is fixed only once', async (_what, fixed, y) => {
      const picture = await pictureOf(`${BARE}${ALL_ROWS}${fixed}`);

      expectColour(picture, 240, y, RED);
      for (let row = 6; row < ROWS; row++) expectColour(picture, 240, row * ROW + 46, colourOf(row));
    });
  });

  describe('has elements that stick to the window at their place', () => {
    const BAR = 'height:50px;background:blue;position:sticky;';

    it.each([
      ['below', `${ALL_ROWS}</p><div style="${BAR}bottom:0"></div><div style="height:200px"></div>`, CONTENT],
      ['above', `<div style="height:100px"></div><div style="${BAR}top:0"></div>${ALL_ROWS}`, 100],
    ])('%s', async (_side, body, y) => {
      const picture = await pictureOf(`${BARE}${body}`);

      expectColour(picture, 240, y + 10, BLUE);
      expectColour(picture, 240, y + 40, BLUE);
      expectColour(picture, 240, 260, y === 100 ? colourOf(2) : colourOf(5));
    });

    it.each([
      ['right', 'right:0', 850],
      ['left', 'left:0', 5],
    ])('at the %s', async (_side, side, x) => {
      const cells = `<div style="width:900px;display:flex"><b style="width:850px;${side === 'left:0' ? 'order:1' : ''}"></b><i style="width:50px;height:20px;position:sticky;${side};background:blue"></i></div>`;
      const picture = await pictureOf(`${BARE}${cells}`);

      expectColour(picture, x + 20, 10, BLUE);
      expectColour(picture, 460, 10, WHITE);
    });

    it('but not if their place is cut off', async () => {
      const picture = await pictureOf(`${BARE}${ALL_ROWS}</p><div style="${BAR}bottom:0"></div>`, {
        full_page_max_height: 600,
      });

      expectColour(picture, 240, 270, BLUE);
    });

    it('nor in a small box that scrolls', async () => {
      const picture = await pictureOf(
        `${BARE}<div style="height:100px;overflow:auto">${ALL_ROWS}</p><div style="${BAR}bottom:0"></div></div>`,
      );

      expectColour(picture, 240, 75, BLUE);
    });
  });

  it.each([
    ['without a viewport', ''],
    ['with a small scale', '<meta name=viewport content="width=device-width, initial-scale=0.5">'],
    ['wider than its window', '<meta name=viewport content="width=device-width"><div style="width:800px;height:9px">'],
    ['as wide as its window', '<meta name=viewport content="width=device-width">'],
  ])('of a phone is as wide as its window: %s', async (_what, head) => {
    const phone = { window_width: 300, window_height: 400, pixel_density: 2, is_mobile: true };

    const [whole, seen] = await Promise.all([
      pictureOf(`${BARE}${head}${ALL_ROWS}${ALL_ROWS}`, phone),
      pictureOf(`${BARE}${head}${ALL_ROWS}${ALL_ROWS}`, { ...phone, full_page: false }),
    ]);

    expect([whole.width, seen.width]).toEqual([600, 600]);
    expectColour(whole, 4, whole.height - 4, colourOf(ROWS - 1));
  });

  const APPEAR = `const appear = () => { document.querySelector('section').style.background = '#00a000'; };
    const appearIfSeen = () => { if (scrollY > 100) appear(); };`;

  // A page that cannot notice a scroll is not scrolled.
  it.each([
    ['a listener of the window', `addEventListener('scroll', appearIfSeen);`],
    ['a listener of the document', `document.addEventListener('scroll', appearIfSeen, true);`],
    ['a handler', `onscroll = appearIfSeen;`],
    ['a handler at the end of a scroll', `document.onscrollend = appear;`],
    ['a listener that a timer adds', `setTimeout(() => addEventListener('scroll', appearIfSeen), 1500);`],
    [
      'an observer',
      `new IntersectionObserver(([{ isIntersecting }]) => {
        if (isIntersecting) appear();
      }).observe(document.querySelector('section'));`,
    ],
    [
      'a frame',
      `document.body.append(Object.assign(document.createElement('iframe'), {
        srcdoc: '<script>parent.addEventListener("scroll", () => parent.appearIfSeen())</' + 'script>',
      }));
      Object.assign(window, { appearIfSeen });`,
    ],
    ['an interval', `setInterval(appearIfSeen, 100);`],
    ['a timer', `const look = () => { appearIfSeen(); setTimeout(look, 100); }; look();`],
    ['its frames', `const draw = () => { appearIfSeen(); requestAnimationFrame(draw); }; draw();`],
  ])('has the section that appears with the scroll, noticed by %s', async (_what, script) => {
    const picture = await pictureOf(
      `${BARE}<div style="height:900px"></div><section style="height:100px"></section><script>${APPEAR}${script}</script>`,
    );

    expectColour(picture, 240, 950, GREEN);
  });

  it('has the section that appears with the scroll by its style alone', async () => {
    const picture = await pictureOf(
      `${BARE}<style>@keyframes appear { from { opacity: 0 } }
        section { height: 100px; background: #00a000; animation: appear both; animation-timeline: view(); animation-range: entry }
      </style><div style="height:900px"></div><section></section><script></script>`,
    );

    expectColour(picture, 240, 950, GREEN);
  });

  it('has the sections whose observers wait until half of them is in view', async () => {
    const sections = '<section style="height:260px"></section>'.repeat(6);
    const picture = await pictureOf(`${BARE}${sections}<script>
      const seen = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) target.style.background = '#00a000';
      }, { threshold: 0.6 });
      for (const section of document.querySelectorAll('section')) seen.observe(section);
    </script>`);

    for (let section = 0; section < 6; section++) expectColour(picture, 240, section * 260 + 130, GREEN);
  });

  it.each([
    ['appear', { wait_for_selector: '.drawn' }],
    ['go away', { wait_for_selector_hidden: '.loading' }],
  ])('waits for elements that %s with the scroll', async (_what, wait) => {
    const picture = await pictureOf(
      `${BARE}<div style="height:900px"></div><section class=loading style="height:100px">…</section><script>
        new IntersectionObserver(([{ isIntersecting, target }]) => {
          if (!isIntersecting) return;
          target.className = 'drawn';
          target.style.background = '#00a000';
        }).observe(document.querySelector('section'));
      </script>`,
      { ...wait, wait_for_timeout: 4_000 },
    );

    expectColour(picture, 240, 950, GREEN);
  });
});
