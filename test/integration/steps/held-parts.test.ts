import { beforeAll, describe, expect, it } from 'vitest';
import type { Colour } from '../../support/colour.ts';
import { capture } from '../../support/http.ts';
import { readPdf } from '../../support/pdf.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const WINDOW = { window_width: 300, window_height: 200 } as const;
const [GREEN, BLUE, WHITE] = [
  [0, 160, 0],
  [0, 0, 208],
  [255, 255, 255],
] as const satisfies readonly Colour[];
const BARE = '<!doctype html><style>body { margin: 0; font: 20px sans-serif } section { height: 200px }</style>';
/** Four sections as high as the window, with a green box each. */
const sections = (styles: string, attributes = ''): string =>
  `<style>b { display: block; height: 200px; background: #00a000; ${styles} }</style>${`<section><b ${attributes}></b></section>`.repeat(4)}`;
const eachFrame = (set: string): string =>
  `<script>const boxes = document.querySelectorAll('b'); const draw = () => { boxes.forEach((each) => {
    const { top, bottom } = each.parentNode.getBoundingClientRect(); const isIn = top < innerHeight * .8 && bottom > innerHeight * .2; ${set} });
    requestAnimationFrame(draw) }; draw()</script>`;
const watched = (change: string): string =>
  `<script>const watch = new IntersectionObserver((all) => all.forEach(({ target, isIntersecting }) => { ${change} }), { threshold: .2 });
   document.querySelectorAll('b').forEach((each) => watch.observe(each))</script>`;

const typed = (word: string): string =>
  `<div style="height:300px"></div><b>${word}</b><div style="height:300px"></div>`;
const bar = (style: string): string =>
  `<div style="position:fixed;left:0;right:0;bottom:0;height:40px;background:#0000d0;${style}"></div><div style="height:600px">Text</div>`;

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function pictureOf(html: string, fields: object = {}): Promise<Picture> {
  const answer = await capture(service.url, { html_content: BARE + html, ...WINDOW, ...fields });
  expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, null]);
  return await readPicture(answer.body);
}

function hasSamePixels({ rgba }: Picture, other: Picture): boolean {
  return Buffer.from(rgba).equals(other.rgba);
}

async function textOf(html: string): Promise<string> {
  const answer = await capture(service.url, { html_content: html, format: 'pdf', ...WINDOW });
  const { pages } = await readPdf(answer.body);
  return pages.map(({ text }) => text).join(' ');
}

describe('parts that a page shows only while they are in the window', () => {
  const SHOWN: Readonly<Record<string, string>> = {
    'an opacity that a script writes in each frame':
      sections('transition: opacity .5s') + eachFrame('each.style.opacity = Number(isIn)'),
    'a background that follows the scroll in each frame':
      `<style>section { overflow: hidden }</style>${sections('height: 260px; margin-top: -30px')}` +
      eachFrame('each.style.transform = `translateY(${(top / innerHeight) * 30}px)`'),
    'a keyframe animation that fades them out again':
      `<style>@keyframes in { from { opacity: 0; transform: translateX(-100px) } } @keyframes out { to { opacity: 0 } } .in { animation: in 1s both } .out { animation: out .5s both }</style>` +
      sections('', 'style="animation-delay: .6s"') +
      watched("target.className = isIntersecting ? 'in' : 'out'"),
    'a transition with a delay':
      sections('opacity: 0; transform: translateY(60px); transition: .6s .3s') +
      '<style>b.in { opacity: 1; transform: none }</style>' +
      watched("target.classList.toggle('in', isIntersecting)"),
    'important rules of their own':
      sections('opacity: 0 !important') +
      '<style>section > b.in { opacity: 1 !important }</style>' +
      watched("target.classList.toggle('in', isIntersecting)"),
  };

  /** Parts of 200 px that are green while they are in the window, by what the page writes. `on` is true in the window. */
  const WRITTEN: Readonly<Record<string, string>> = {
    'no display': "each.innerHTML ||= '<i></i>'; each.firstChild.style.display = on ? 'block' : 'none'",
    'the attribute hidden': "each.innerHTML ||= '<i></i>'; each.firstChild.hidden = !on",
    'no width': "each.innerHTML ||= '<i></i>'; each.firstChild.style.width = on ? '100%' : '0'",
    'a placeholder': 'each.innerHTML = on ? "<i>Text</i>" : "<u>Soon</u>"',
    'a class of the section around': 'each.parentNode.classList.toggle("in", on)',
    'parts one after the other by timers':
      'clearTimeout(each.timer); if (on) each.timer = setTimeout(() => { each.style.background = "#00a000" }, 300); else each.style.background = "none"',
    'a curtain': `each.style.background = "#00a000"; each.innerHTML ||= '<u class="curtain"></u>'; each.classList.toggle("open", on)`,
    'words over a picture':
      'each.innerHTML ||= `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==" style="position:absolute;inset:0;width:100%;height:100%;background:gray"><i style="position:absolute;inset:0;transition:opacity .3s"></i>`; each.lastChild.style.opacity = Number(on)',
  };

  it.each(Object.entries(WRITTEN))('stay as they were seen, if the page takes back %s', async (_what, write) => {
    const html = `<style>b { display: block; position: relative; height: 200px; overflow: hidden } i { display: block; height: 200px; background: #00a000 } [hidden] { display: none }
      u { display: block; height: 200px; background: gray } .curtain { transition: transform .4s } .open .curtain { transform: translateY(-100%) } section.in { background: #00a000 }</style>
      ${'<section style="overflow:hidden">Text<b></b></section>'.repeat(4)}${watched(`const [each, on] = [target, isIntersecting]; ${write}`)}`;

    const picture = await pictureOf(html, { full_page: true });

    for (const top of [0, 200, 400, 600]) expectColour(picture, 250, top + 150, GREEN);
  });

  it('do not come back if the page has removed them by itself, or has written something new', async () => {
    const html = `<div style="height:300px"></div><div id="wait"></div><p id="stock" style="margin:0">Checking the stock</p><div style="height:900px"></div>
      <script>new IntersectionObserver(([{ isIntersecting }]) => { if (!isIntersecting || wait.done) return; wait.done = true; wait.innerHTML = '<h1>Loading</h1>';
        setTimeout(() => { wait.innerHTML = ''; stock.textContent = '7 in stock' }, 1500) }).observe(stock)</script>`;
    const still = html.replace('Checking the stock', '7 in stock').replace(/<script>[^]*/, '');

    const shown = await pictureOf(html, { full_page: true });

    expect(hasSamePixels(shown, await pictureOf(still, { full_page: true }))).toBe(true);
  });

  it.each(Object.entries(SHOWN))('stay as they were seen: %s', async (_what, html) => {
    const picture = await pictureOf(html, { full_page: true });

    for (const top of [0, 200, 400, 600]) for (const y of [20, 180]) expectColour(picture, 150, top + y, GREEN);
  });

  it('stay in a frame of the same origin', async () => {
    const framed = `${BARE}${sections('opacity: 0; transition: opacity .4s')}${watched('target.style.opacity = Number(isIntersecting)')}`;
    const html = `<div style="height:500px"></div><iframe style="border:0;width:300px;height:190px" srcdoc="${framed.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe><div style="height:500px"></div>`;

    expectColour(await pictureOf(html, { full_page: true }), 150, 600, GREEN);
  });

  it('stay in a picture of an element: a carousel that runs only while it is seen', async () => {
    const html = `<div style="height:500px"></div><div id="slides" style="height:60px">${sections('height: 60px; opacity: 0')}</div><div style="height:500px"></div>
      <script>new IntersectionObserver(([{ isIntersecting }]) => document.querySelectorAll('b').forEach((each) => { each.style.opacity = Number(isIntersecting) })).observe(slides)</script>`;

    expectColour(await pictureOf(html, { selector: '#slides' }), 150, 30, GREEN);
  });

  const COUNTERS = `<div style="height:600px">intro</div><b style="font-size:30px">0</b> items<div style="height:600px"></div>
    <script>let timer; new IntersectionObserver(([{ isIntersecting, target }]) => { clearInterval(timer); let n = 0; target.textContent = 0;
      if (isIntersecting) timer = setInterval(() => { target.textContent = n = Math.min(555, n + 37); if (n === 555) clearInterval(timer) }, 100) }).observe(document.querySelector('b'))</script>`;

  it('keep their numbers: a counter that begins again each time it is seen', async () => {
    const shown = await pictureOf(COUNTERS, { full_page: true });
    const still = COUNTERS.replace('>0</b>', '>555</b>').replace(/<script>[^]*<\/script>/, '');

    expect(hasSamePixels(shown, await pictureOf(still, { full_page: true }))).toBe(true);
    expect(await textOf(COUNTERS)).toMatch(/intro\s+555 items/);
  });

  it('keep their words: a line that is typed while it is seen', async () => {
    const script = `<script>let timer; new IntersectionObserver(([{ isIntersecting, target }]) => { clearInterval(timer); target.textContent = ''; let n = 0;
      if (isIntersecting) timer = setInterval(() => { target.textContent = 'A typed line of text'.slice(0, ++n) }, 60) }).observe(document.querySelector('b'))</script>`;

    const shown = await pictureOf(typed('') + script, { full_page: true });

    expect(hasSamePixels(shown, await pictureOf(typed('A typed line of text'), { full_page: true }))).toBe(true);
  });
});

describe('a picture of the whole page', () => {
  it('has all rows of a list that shows only those of the window, above a footer', async () => {
    const html = `<div id="list" style="position:relative;height:2400px"></div><footer>End</footer><script>
      const draw = () => { const { top } = list.getBoundingClientRect(); const first = Math.max(0, Math.floor(-top / 100) - 1); list.innerHTML = '';
        for (let row = first; row < Math.min(24, Math.ceil((innerHeight - top) / 100) + 1); row++) list.insertAdjacentHTML('beforeend', \`<p style="position:absolute;margin:0;left:0;right:0;height:98px;top:\${row * 100}px;background:#00a000">Row</p>\`) };
      addEventListener('scroll', draw); addEventListener('resize', draw); draw()</script>`;

    const picture = await pictureOf(html, { full_page: true });

    for (let row = 0; row < 24; row++) expectColour(picture, 200, row * 100 + 50, GREEN);
  });

  it('has no bar that waits below the window to slide in, and has one that is open', async () => {
    expectColour(await pictureOf(bar('transform:translateY(100%)'), { full_page: true }), 150, 220, WHITE);
    expectColour(await pictureOf(bar(''), { full_page: true }), 150, 180, BLUE);
  });
});

describe('a picture of an element', () => {
  it.each([
    ['above the page', 'left:20px;top:-80px'],
    ['above and left of the page', 'left:-50px;top:-80px'],
  ])('shows what lies %s', async (_where, place) => {
    const html = `<div id="box" style="position:absolute;${place};width:100px;height:160px;background:linear-gradient(#00a000 80px,#0000d0 80px)"></div>`;

    const picture = await pictureOf(html, { selector: '#box' });

    expect([picture.width, picture.height]).toEqual([100, 160]);
    for (const x of [4, 95]) {
      expectColour(picture, x, 4, GREEN);
      expectColour(picture, x, 155, BLUE);
    }
  });
});
