import { beforeAll, describe, expect, it } from 'vitest';
import type { Colour } from '../../support/colour.ts';
import { capture } from '../../support/http.ts';
import { readPdf } from '../../support/pdf.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const WINDOW = { window_width: 300, window_height: 200 } as const;
const RED: Colour = [208, 0, 0];
const GREEN: Colour = [0, 160, 0];
const BLUE: Colour = [0, 0, 208];
const WHITE: Colour = [255, 255, 255];
const css = (colour: Colour): string => `rgb(${colour.join()})`;

/** Four sections as high as the window. */
const COLOURS = [RED, GREEN, BLUE, RED];
const SECTIONS = COLOURS.map(
  (colour) => `<section data-colour="${css(colour)}" style="background:${css(colour)}"></section>`,
);
const BARE = '<!doctype html><style>body { margin: 0; font: 20px sans-serif } section { height: 200px }</style>';
const WATCHED = (onChange: string, options = '{ threshold: .2 }'): string =>
  `<script>const watch = new IntersectionObserver((all) => all.forEach(({ target, isIntersecting }) => { ${onChange} }), ${options});
   document.querySelectorAll('section').forEach((each) => watch.observe(each))</script>`;

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function pictureOf(html: string, fields: object = {}): Promise<Picture> {
  const answer = await capture(service.url, { html_content: BARE + html, ...WINDOW, ...fields });
  expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, null]);
  return await readPicture(answer.body);
}

describe('parts that a page shows only while they are in the window', () => {
  const HIDING: Readonly<Record<string, string>> = {
    'a class that fades and moves them':
      `<style>section { opacity: 0; transform: translateY(20px); transition: all .8s } .in { opacity: 1; transform: none }</style>${SECTIONS.join('')}` +
      WATCHED("target.classList.toggle('in', isIntersecting)"),
    'a class for their content': `<style>section > * { visibility: hidden } .in > * { visibility: visible }</style>${COLOURS.map((colour) => `<section><div style="height:200px;background:${css(colour)}"></div></section>`).join('')}${WATCHED("target.classList.toggle('in', isIntersecting)")}`,
    'content that is removed': `${COLOURS.map((colour) => `<section data-colour="${css(colour)}"></section>`).join('')}${WATCHED("target.innerHTML = isIntersecting ? `<div style='height:200px;background:${target.dataset.colour}'></div>` : ''")}`,
    'a background': `${COLOURS.map((colour) => `<section data-colour="${css(colour)}"></section>`).join('')}${WATCHED("target.style.background = isIntersecting ? target.dataset.colour : 'transparent'")}`,
    'the opacity of their place':
      SECTIONS.join('') +
      `<script>const fade = () => document.querySelectorAll('section').forEach((each) => { each.style.opacity = Math.max(0, Math.min(1, (innerHeight - each.getBoundingClientRect().top) / 150)) });
       addEventListener('scroll', () => requestAnimationFrame(fade)); fade()</script>`,
    'a turn to their back': `<style>section { backface-visibility: hidden; transform: rotateY(-100deg); transition: all .8s } .in { transform: none }</style>${SECTIONS.join('')}${WATCHED("target.classList.toggle('in', isIntersecting)", '{ rootMargin: "9px" }')}`,
    'a clip': `<style>section > * { clip-path: inset(0 100% 0 0); transition: all .8s } .in > * { clip-path: none }</style>${COLOURS.map((colour) => `<section><div style="height:200px;background:${css(colour)}"></div></section>`).join('')}${WATCHED("target.classList.toggle('in', isIntersecting)")}`,
    'a fade that a script makes of frames': `<style>section { opacity: 0 }</style>${SECTIONS.join('')}
      <script>const goals = new Map(); let last = 0;
      const step = (now) => { const passed = Math.min(50, now - last) / 1000; last = now; let busy = false;
        for (const [each, goal] of goals) { const at = Number(each.style.opacity); if (at === goal) continue; busy = true;
          each.style.opacity = goal > at ? Math.min(goal, at + passed) : Math.max(goal, at - passed) }
        if (busy) requestAnimationFrame(step) }</script>
      ${WATCHED('goals.set(target, Number(isIntersecting)); last = performance.now(); requestAnimationFrame(step)')}`,
    'an animation whose end a script writes down': `<style>section { opacity: 0 }</style>${SECTIONS.join('')}
      ${WATCHED(
        `requestAnimationFrame(() => { const opacity = isIntersecting ? [0, 1] : [1, 0]; const fade = target.animate({ opacity }, { duration: 600, fill: 'both' });
        fade.onfinish = () => requestAnimationFrame(() => { target.style.opacity = opacity[1]; fade.cancel() }) })`,
        '{ threshold: .5 }',
      )}`,
  };

  it.each(Object.entries(HIDING))('stay in a picture of the whole page: %s', async (_what, html) => {
    const picture = await pictureOf(html, { full_page: true });

    for (const [index, colour] of COLOURS.entries()) expectColour(picture, 150, index * 200 + 100, colour);
  });

  it('stay if they are cut by two screens, and shown only as a whole', async () => {
    const bar = `<div class="bar" style="height:60px;background:${css(BLUE)};opacity:0"></div>`;
    const html = `<div style="height:370px"></div>${bar}<div style="height:170px"></div>${bar}<div style="height:700px"></div>
      <script>const bars = document.querySelectorAll('.bar'); addEventListener('scroll', () => bars.forEach((each) => {
        const { top, bottom } = each.getBoundingClientRect(); each.style.opacity = Number(top >= 0 && bottom <= innerHeight) }))</script>`;

    const picture = await pictureOf(html, { full_page: true });

    expectColour(picture, 150, 400, BLUE);
    expectColour(picture, 150, 630, BLUE);
  });

  it('stay in a clip', async () => {
    const html = HIDING['a class that fades and moves them'] ?? '';

    expectColour(await pictureOf(html, { clip: { x: 0, y: 400, width: 300, height: 200 } }), 150, 100, BLUE);
  });

  it('are hidden if the page hides them while they are in the window, or replaces them by another slide', async () => {
    const html = `${SECTIONS[0]}<div style="position:relative;height:400px">
      <div id="a" style="position:absolute;inset:0;background:${css(GREEN)}"></div><div id="b" style="position:absolute;inset:0;background:${css(BLUE)};opacity:0"></div></div>
      <section id="hint" style="background:${css(RED)}"></section>
      <script>const show = (id, opacity) => { document.getElementById(id).style.opacity = opacity };
      show('a', .9);
      addEventListener('scroll', () => { if (scrollY > 250) { show('a', 0); show('b', 1) } else { show('a', 1); show('b', 0) }
        if (scrollY > 500) { show('hint', .9); setTimeout(show, 100, 'hint', 0) } })</script>`;

    const picture = await pictureOf(html, { full_page: true });

    expectColour(picture, 150, 400, GREEN);
    expectColour(picture, 150, 700, WHITE);
  });

  it('show one state of what takes turns: a mark that moves on, and a shorter word in place of a longer one', async () => {
    const box = (colour: Colour, width: number): string =>
      `<i style="position:absolute;left:0;top:60px;width:${width}px;height:40px;background:${css(colour)};opacity:0"><b style="visibility:visible">x</b></i>`;
    const html = `<style>.on { background: ${css(RED)} } p { float: left; margin: 0; width: 60px; height: 40px } i { transition: opacity .1s } i.on { opacity: 1 !important }</style>
      <section style="position:relative"><div><p></p><p></p><p></p></div><div>${box(GREEN, 280)}${box(BLUE, 60)}${box(BLUE, 60)}</div></section>${'<section data-x></section>'.repeat(20)}
      <script>let at = 0; const turn = () => document.querySelectorAll('div').forEach((each) => [...each.children].forEach((part, index) => part.classList.toggle('on', index === Math.min(at, 2))));
      turn(); addEventListener('scroll', () => { if (scrollY > 600 && at < 2) { at++; turn() } })</script>${WATCHED('')}`;

    const picture = await pictureOf(html, { full_page: true });

    expectColour(picture, 20, 20, WHITE);
    expectColour(picture, 140, 20, RED);
    expectColour(picture, 30, 95, BLUE);
    expectColour(picture, 200, 80, WHITE);
  });

  it('stay where they were in their section, if the page moves them with the scroll', async () => {
    const html = `<section></section>${'<section></section>'.repeat(4)}<section style="overflow:hidden;background:${css(BLUE)}"><div style="width:100px;height:100px;margin:50px;background:${css(RED)}"></div></section>${'<section></section>'.repeat(4)}
      <script>const layer = document.querySelector('section > div'); const place = () => { layer.style.transform = 'translateY(' + layer.parentElement.getBoundingClientRect().top * -.5 + 'px)' };
      addEventListener('scroll', place); place()</script>${WATCHED('')}`;

    const picture = await pictureOf(html, { full_page: true });

    expectColour(picture, 250, 1_100, BLUE);
    expectColour(picture, 100, 1_100, RED);
  });
});

describe('a picture of a section that shows its parts while it is in the window', () => {
  it('has the parts, although the page is scrolled back to the top for it', async () => {
    const html = `<style>section > * { height: 200px; opacity: 0; transform: translateX(40px) } .in > * { opacity: 1; transform: none }</style>
      ${COLOURS.map((colour) => `<section><div style="background:${css(colour)}"></div></section>`).join('')}${WATCHED("target.classList.toggle('in', isIntersecting)")}`;

    const picture = await pictureOf(html, { selector: 'section:nth-of-type(3)' });

    expect([picture.width, picture.height]).toEqual([300, 200]);
    for (const x of [20, 150]) expectColour(picture, x, 100, BLUE);
  });

  it('has the parts on paper, too, for which the page fades them in again by script', async () => {
    const words = ['First', 'Second', 'Third'];
    const drawing = `<img style="width:100%" src="data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2"><rect width="4" height="2"/></svg>')}">`;
    const html = `<style>section { min-height: 600px; padding: 40px; box-sizing: border-box; display: grid; grid-template-columns: 1fr 1fr; gap: 20px } p { margin: 0; padding: 30px }</style>${words.map((word) => `<section><p>${word}</p><p>part ${drawing}</p></section>`).join('')}
      <script>document.querySelectorAll('p').forEach((part, index) => { let shown = 0, next = 0; const draw = (share) => { part.style.opacity = shown = share; part.style.transform = 'translateX(' + (index % 2 ? 1 : -1) * 100 * (1 - share) + 'px)' };
        const fade = (to) => { cancelAnimationFrame(next); const from = shown, start = performance.now(); next = requestAnimationFrame(function step(now) { const share = Math.max(0, Math.min(1, (now - start) / 800)); draw(from + (to - from) * share); if (share < 1) next = requestAnimationFrame(step) }) };
        draw(0); new IntersectionObserver((all) => fade(all.at(-1).isIntersecting ? 1 : 0), { threshold: .3 }).observe(part) })</script>`;

    const answer = await capture(service.url, {
      html_content: BARE + html,
      window_width: 800,
      window_height: 600,
      format: 'pdf',
    });

    const [sheet] = (await readPdf(answer.body)).pages;
    expect(sheet?.text).toBe('First part Second part');
  });

  it('has no old slide in place of the one that its track has moved to', async () => {
    const html = `<div style="overflow:hidden"><div id="track" style="display:flex;width:300px">${[RED, GREEN].map((colour) => `<i style="flex:none;width:300px;height:100px;background:${css(colour)}"></i>`).join('')}</div></div>${'<section></section>'.repeat(20)}
      <script>addEventListener('scroll', () => { if (scrollY > 600) document.getElementById('track').style.transform = 'translateX(-300px)' })</script>${WATCHED('')}`;

    expectColour(await pictureOf(html, { full_page: true }), 150, 50, GREEN);
  });
});

describe('a picture of an element', () => {
  const CARD = `<div id="card" style="width:100px;height:100px;background:linear-gradient(${css(GREEN)} 50%, ${css(BLUE)} 50%)"></div>`;
  const REST = '<div style="height:900px"></div>';
  const expectCard = (picture: Picture): void => {
    expect([picture.width, picture.height]).toEqual([100, 100]);
    expectColour(picture, 50, 10, GREEN);
    expectColour(picture, 50, 90, BLUE);
  };

  it('shows it where it is when the page has reacted to the way back to the top', async () => {
    const header = `<header style="height:80px">Header</header><div style="height:400px"></div>
      <script>addEventListener('scroll', () => { document.querySelector('header').style.position = scrollY > 50 ? 'fixed' : '' })</script>`;

    const picture = await pictureOf(header + CARD + REST, { selector: '#card' });

    expect([picture.width, picture.height]).toEqual([100, 100]);
    expectCard(picture);
  });

  it('leaves out bars and buttons of the window in front of it, and keeps backgrounds and what belongs to it', async () => {
    const bar = (style: string, inside = ''): string =>
      `<div style="position:fixed;${style};background:${css(RED)}">${inside}</div>`;
    const below = '<div style="height:150px"></div>';
    const background = bar('inset:0;z-index:-1');

    expectCard(
      await pictureOf(background + below + CARD + REST + bar('left:0;right:0;bottom:0;height:40px'), {
        selector: '#card',
      }),
    );
    expectColour(
      await pictureOf(background + below + '<div id="card">Text</div>' + REST, { selector: '#card' }),
      290,
      10,
      RED,
    );
    expectCard(await pictureOf(bar('inset:20px', CARD), { selector: '#card' }));
    const clip = { x: 0, y: 150, width: 100, height: 100 };
    expectCard(await pictureOf(below + CARD + REST + bar('left:0;right:0;bottom:0;height:40px'), { clip }));
    const inWindow = await pictureOf(bar('left:0;right:0;bottom:0;height:40px'), { clip: { ...clip, height: 50 } });
    expectColour(inWindow, 50, 40, RED);
  });

  it.each([
    [
      'display: contents',
      `<div id="card" style="display:contents"><p style="margin:0 0 0 20px;width:100px;height:50px;background:${css(GREEN)}"></p></div>`,
      [100, 50],
    ],
    [
      'a dialog in a root without height',
      `<div id="card"><div style="position:fixed;left:50px;top:40px;width:120px;height:60px;background:${css(GREEN)}"></div></div>`,
      [120, 60],
    ],
  ])('is the area of its content if it has no box: %s', async (_what, html, size) => {
    const picture = await pictureOf(html, { selector: '#card' });

    expect([picture.width, picture.height]).toEqual(size);
    expectColour(picture, 10, 10, GREEN);
  });

  it.each(['html', 'body'])('is the whole page for %s', async (selector) => {
    const picture = await pictureOf(`<style>html, body { height: 100% }</style>${SECTIONS.join('')}`, { selector });

    expect([picture.width, picture.height]).toEqual([300, 800]);
  });

  it('tells of an element that moves all the time', async () => {
    const html = `${CARD}${REST}<script>let at = 0; new ResizeObserver(() => undefined).observe(card);
      setInterval(() => { card.style.marginTop = (at = (at + 7) % 90) + 'px' }, 1)</script>`;

    const answer = await capture(service.url, {
      html_content: BARE + html,
      ...WINDOW,
      selector: '#card',
      run_ahead: 0,
    });

    expect(answer.headers.get('x-capture-warnings')).toContain('element_moving');
  });
});

describe('animations without an end', () => {
  it('show neighbours that do not take turns at their own best moments: a button that pulses, a hint, a bar, a wipe', async () => {
    const html = `<style>@keyframes pulse { 50% { scale: 1.05 } } @keyframes fade { 0%, 100% { opacity: 0 } 50% { opacity: 1 } } @keyframes load { from { width: 0 } to { width: 100% } }
      @keyframes wipe { 0%, 100% { clip-path: inset(0 100% 0 0) } 50% { clip-path: inset(0 0 0 0) } }
      div { height: 30px; margin: 10px; background: ${css(GREEN)}; animation: 2s infinite }</style>
      <div style="animation-name:pulse"></div><div style="animation-name:fade"></div><div style="animation-name:load"></div><div style="animation-name:wipe"></div>`;

    const picture = await pictureOf(html);

    for (const [x, y] of [
      [150, 25],
      [150, 65],
      [150, 105],
      [150, 145],
    ] as const)
      expectColour(picture, x, y, GREEN, 12);
  });

  const SLIDES = `<style>.s { position: relative; height: 100px } .s * { position: absolute; inset: 0; opacity: 0; animation: s 9s infinite }
    .s :nth-child(2) { animation-delay: 3s } .s :nth-child(3) { animation-delay: 6s }
    @keyframes s { 0% { opacity: 0 } 5%, 30% { opacity: 1 } 35%, 100% { opacity: 0 } }</style>`;

  it.each([
    [
      'slides',
      `${SLIDES}<div class="s">${[GREEN, RED, BLUE].map((colour) => `<i style="background:${css(colour)}"></i>`).join('')}</div>`,
    ],
    [
      'a ticker',
      `<style>@keyframes t { from { transform: translateX(100%) } to { transform: translateX(-100%) } }</style><div style="overflow:hidden"><div style="height:100px;background:${css(GREEN)};animation:t 20s linear infinite"></div></div>`,
    ],
    [
      'a pseudo-element',
      `<style>p { margin: 0; height: 100px } p::before { content: ''; display: block; height: 100px; background: ${css(GREEN)}; visibility: hidden; animation: v 4s steps(1) infinite } @keyframes v { 50% { visibility: visible } }</style><p></p>`,
    ],
    [
      'a drawing',
      `<svg width="300" height="100" style="display:block"><rect width="300" height="100" fill="${css(GREEN)}" opacity="0"><animate attributeName="opacity" values="0;1;1;0" dur="4s" repeatCount="indefinite"/></rect></svg>`,
    ],
    [
      'a script',
      `<div id="a" style="height:100px;background:${css(GREEN)};opacity:0"></div><script>a.animate({ opacity: [0, 1, 0] }, { duration: 3000, iterations: Infinity })</script>`,
    ],
  ])('are shown where their element is most visible, the same each time: %s', async (_what, html) => {
    const [first, second] = await Promise.all([pictureOf(html), pictureOf(html)]);

    expectColour(first, 150, 50, GREEN);
    expect(second.pixel(150, 50)).toEqual(first.pixel(150, 50));
  });
});

const WAITING = (types: string): string =>
  `<div id="hero" style="height:100px;background:${css(RED)}"></div><script>const types = '${types}'.split(' ');
     const begin = () => { types.forEach((type) => removeEventListener(type, begin)); setTimeout(() => { hero.style.background = '${css(GREEN)}' }, 300) };
     types.forEach((type) => addEventListener(type, begin, { passive: true }))</script>`;

describe('a page that waits for its first interaction', () => {
  it.each([
    ['the mouse', 'keydown mousemove wheel touchstart', {}],
    ['a finger', 'touchstart', { has_touch: true }],
    ['the mouse, before a script of the request', 'mousemove', { custom_js: 'window.own = true' }],
  ])('gets it from %s', async (_what, types, fields) => {
    expectColour(await pictureOf(WAITING(types), fields), 150, 50, GREEN);
  });

  it('is left as if nobody had come: nothing is hovered', async () => {
    const html = `<style>div:hover { background: ${css(RED)} !important }</style><div style="height:200px;background:${css(GREEN)}"></div><script>addEventListener('mousemove', () => undefined)</script>`;

    expectColour(await pictureOf(html), 1, 100, GREEN);
  });
});
