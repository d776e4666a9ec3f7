import { COLOUR, distinctColours, pictureOf, toCss } from '../../support/colour.ts';
import { boxMarkup, type Box } from '../../support/pages/box.ts';
import { page, type Route, type Routes, send } from '../../support/pages/exchange.ts';

const COUNT = 10;
const SPACE = 600;
const SIZE = 300;

/**
 * `/fidelity/lazy-*`: 600 white rows, then ten boxes one below the other that get their colour when they come near or
 * into view.
 */
export const LAZY_BOXES: readonly Box[] = distinctColours(COUNT).map((colour, index) => ({
  x: 0,
  y: SPACE + index * SIZE,
  width: SIZE,
  height: SIZE,
  colour,
}));
export const LAZY_HEIGHT = SPACE + COUNT * SIZE;

/** `/fidelity/endless`: white, its first 300 rows blue; it grows by 900 rows whenever its end comes into view. */
export const ENDLESS_TOP = { x: 0, y: 0, width: 100, height: 300, colour: COLOUR.blue } as const;

/** `/fidelity/at-top`: a fixed box, green while the page is at its top and red anywhere else. 3,000 rows. */
export const AT_TOP = {
  height: 3000,
  box: { x: 20, y: 20, width: 100, height: 100, colour: COLOUR.green },
} as const;

/** Content that loads when it comes into view. */
export function lazyRoutes(): Routes {
  const observed = lazyPage(WAITING, OBSERVE);
  return {
    '/fidelity/lazy-native': lazyPage(
      ({ colour }) => `<img class="lazy" loading="lazy" src="${pictureOf(colour)}?native" alt="">`,
    ),
    '/fidelity/lazy-observed': observed,
    '/fidelity/lazy-smooth': lazyPage(WAITING, `${OBSERVE}<style>html, body { scroll-behavior: smooth }</style>`),
    '/fidelity/lazy-scrolled': lazyPage(WAITING, `<script>${LISTEN}</script>`),
    '/fidelity/lazy-handler': lazyPage(WAITING, `<svg style="display:none" onload="${LISTEN}"></svg>`),
    '/fidelity/lazy-gone': lazyPage(WAITING, '<script src="/fidelity/lazy-gone.js"></script>'),
    '/fidelity/lazy-gone.js': ({ response }) =>
      send(response, { type: 'text/javascript', body: `${LISTEN};document.currentScript.remove()` }),
    '/fidelity/lazy-unscripted': lazyPage(WAITING),
    // Its size estimates for skipped content are wrong: the page grows on scroll.
    '/fidelity/lazy-skipped': lazyPage(
      (_box, index) =>
        `<section style="content-visibility:auto;contain-intrinsic-size:300px 40px"><div class="lazy" style="background:${cssOf(index)}"></div></section>`,
    ),
    // As lazy loaders do that cancel the pictures which leave the window before they have come.
    '/fidelity/lazy-cancelled': lazyPage(WAITING, `<script>${CANCEL}</script>`),
    '/fidelity/lazy-late': ({ response }) =>
      void setTimeout(() => send(response, { type: 'text/plain', body: 'late' }), LATE_MS).unref(),
    '/fidelity/endless': page({
      body: `<div style="height:1500px">${boxMarkup(ENDLESS_TOP)}</div><div id="end"></div>
<script>
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting) end.insertAdjacentHTML('beforebegin', '<div style="height:900px"></div>');
  }).observe(end);
  addEventListener('scroll', () => {
    if (scrollY + innerHeight * 2 > document.documentElement.scrollHeight) end.insertAdjacentHTML('beforebegin', '<div style="height:900px"></div>');
  });
</script>`,
    }),
    '/fidelity/at-top': page({
      body: `<div style="height:${AT_TOP.height}px"></div>${boxMarkup(AT_TOP.box, 'id="box"').replace('absolute', 'fixed')}
<script>
  addEventListener('scroll', () => { box.style.background = scrollY === 0 ? '${toCss(AT_TOP.box.colour)}' : '#f00'; });
</script>`,
    }),
  };
}

const LATE_MS = 150;
const CANCEL = `const calls = new Map();
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) { calls.get(target)?.abort(); calls.delete(target); continue; }
    if (calls.has(target)) continue;
    const call = new AbortController();
    calls.set(target, call);
    fetch('/fidelity/lazy-late?' + encodeURIComponent(target.dataset.colour), { signal: call.signal, cache: 'no-store' }).then((answer) => answer.text()).then(() => {
      target.style.background = target.dataset.colour;
      seen.unobserve(target);
    }, () => undefined);
  }
});
for (const box of document.querySelectorAll('.lazy')) seen.observe(box);`;

export function lazyPage(item: (box: Box, index: number) => string, more = ''): Route {
  return page({
    head: `<style>.lazy { display: block; width: ${SIZE}px; height: ${SIZE}px }</style>`,
    body: `<div style="height:${SPACE}px"></div>${LAZY_BOXES.map(item).join('')}${more}`,
  });
}

function cssOf(index: number): string {
  return toCss(LAZY_BOXES[index]?.colour ?? COLOUR.white);
}

export const WAITING = (_box: Box, index: number): string => `<div class="lazy" data-colour="${cssOf(index)}"></div>`;

/** A scroll listener that also fits into an attribute. */
export const LISTEN = `window.addEventListener('scroll', () => {
  for (const each of document.querySelectorAll('.lazy'))
    if (each.getBoundingClientRect().top < innerHeight) each.style.background = each.dataset.colour;
})`;

const OBSERVE = `<script>
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) target.style.background = target.dataset.colour;
  });
  for (const each of document.querySelectorAll('.lazy')) observer.observe(each);
</script>`;
