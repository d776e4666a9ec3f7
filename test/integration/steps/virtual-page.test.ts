import { beforeAll, describe, expect, it } from 'vitest';
import type { Colour } from '../../support/colour.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const ROWS = 60;
const ROW = 50; // height in CSS pixels
const GREEN: Colour = [0, 160, 0];
const BARE = '<!doctype html><style>body { margin: 0 } i { position: absolute; background: rgb(0,160,0) }</style>';

/** A list that draws the rows in the window when it is scrolled. */
const list = (redraws = ''): string => `<div id="list" style="position:relative;height:${ROWS * ROW}px"></div><script>
  const draw = () => {
    const first = Math.max(0, Math.floor((scrollY - list.offsetTop) / ${ROW}));
    list.replaceChildren();
    for (let row = first; row < Math.min(${ROWS}, first + innerHeight / ${ROW} + 1); row++)
      list.insertAdjacentHTML('beforeend', '<i style="width:100%;height:${ROW}px;top:' + row * ${ROW} + 'px">row ' + row + '</i>');
  };
  addEventListener('scroll', () => requestAnimationFrame(draw));
  ${redraws}
  draw();
</script>`;
const OBSERVED = `<body><script>
  const observer = new IntersectionObserver((rows) => {
    for (const { target, isIntersecting } of rows) target.innerHTML = isIntersecting ? '<i style="width:100%;height:50px">row</i>' : '';
  });
  for (let row = 0; row < ${ROWS}; row++) {
    document.body.insertAdjacentHTML('beforeend', '<div style="height:${ROW}px"></div>');
    observer.observe(document.body.lastChild);
  }
</script>`;

describe('a page that has only the rows that are scrolled to', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await sharedService();
  });
  const capturePage = async (markup: string, fields: object = {}): Promise<CaptureAnswer> =>
    await capture(service.url, {
      html_content: BARE + markup,
      full_page: true,
      window_width: 200,
      window_height: 300,
      ...fields,
    });

  it.each([
    ['draws when it is scrolled', list(), 0],
    ['draws when the window changes', list("addEventListener('resize', draw);"), 0],
    ['observes its rows', OBSERVED, 0],
    ['has a header', `<header style="height:80px">Header</header>${list()}`, 80],
    [
      'has a column as tall as the window',
      `<nav style="position:fixed;right:0;width:20px;height:100vh"></nav>${list()}`,
      0,
    ],
  ])('shows all rows if it %s', async (_how, markup, top) => {
    const answer = await capturePage(markup);
    const picture = await readPicture(answer.body);

    expect(answer.headers.get('x-capture-warnings')).toBe(null);
    expect([picture.width, picture.height]).toEqual([200, top + ROWS * ROW]);
    for (let row = 0; row < ROWS; row++) expectColour(picture, 150, top + row * ROW + ROW / 2, GREEN);
  });

  it.each([
    ['a section is as large as the window', `<header style="height:100vh">Header</header>${list()}`, {}, 300],
    [
      'a script makes a section as large as the window',
      `<header id="head">Header</header>${list("const size = () => { head.style.height = innerHeight - 20 + 'px'; }; addEventListener('resize', size); size();")}`,
      {},
      280,
    ],
  ])('keeps its window and warns if %s', async (_why, markup, fields, top) => {
    const answer = await capturePage(markup, fields);

    expect(answer.headers.get('x-capture-warnings')).toBe('scroll_incomplete');
    expect((await readPicture(answer.body)).height).toBe(top + ROWS * ROW);
  });

  it('warns in a pdf', async () => {
    const answer = await capturePage(list(), { format: 'pdf' });

    expect(answer.headers.get('x-capture-warnings')).toContain('scroll_incomplete');
  });

  it.each([
    ['text at its end', `<p style="margin-top:3000px">End</p>`],
    ['nothing below its first screen', `<p>Text</p><div style="height:3000px"></div>`],
    ['only what stays in the window', `<div style="height:3000px"><p style="position:sticky;top:0">Text</p></div>`],
    ['a colour at its end', `<div style="height:3000px"></div><div style="height:50px;background:red"></div>`],
  ])('is not one that has %s', async (_what, markup) => {
    const answer = await capturePage(`<script>addEventListener('scroll', () => 0)</script>${markup}`);

    expect(answer.headers.get('x-capture-warnings')).toBe(null);
  });
});
