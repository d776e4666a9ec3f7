import { toCss } from '../../support/colour.ts';
import { page, type Route, type Routes } from '../../support/pages/exchange.ts';
import { LAZY_BOXES, lazyPage, WAITING } from './lazy.ts';

const TOOLS = `const boxes = [...document.querySelectorAll('.lazy')];
  const show = (each) => { each.style.background = each.dataset.colour; };
  const showSeen = () => boxes.filter((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return bottom > 20 && top < innerHeight - 20;
  }).forEach(show);
  const observe = (options, onSeen) => {
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        onSeen(target);
      }
    }, options);
    boxes.forEach((each) => observer.observe(each));
  };`;

const SCRIPTS = {
  // Like WOW.js: a flag that is read every 50 ms.
  polled: `let isScrolled = true;
  addEventListener('scroll', () => { isScrolled = true; });
  setInterval(() => { if (isScrolled) showSeen(); isScrolled = false; }, 50);`,
  throttled: `let isWaiting = false;
  addEventListener('scroll', () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => { isWaiting = false; showSeen(); }, 250);
  });`,
  debounced: `let timer;
  addEventListener('scroll', () => { clearTimeout(timer); timer = setTimeout(showSeen, 250); });`,
  'debounced-in-frame': `let timer;
  addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(showSeen)), 250);
  });`,
  threshold: `observe({ threshold: 0.5, rootMargin: '0px 0px -80px 0px' }, show);`,
  staggered: `let count = 0;
  observe({ threshold: 0.1 }, (each) => setTimeout(show, 400 * (1 + (count++ % 3)), each));`,
} as const;

/** Techniques that reveal the boxes of `LAZY_BOXES` on scroll. */
export const REVEALS = [...Object.keys(SCRIPTS), 'driven', 'driven-to'] as const;

/** Pages that read their scroll position at intervals, and reveal the content in view at that moment. */
export function revealedRoutes(): Routes {
  const scripted = Object.entries(SCRIPTS).map(([name, script]) => [
    `/fidelity/reveal-${name}`,
    lazyPage(WAITING, `<script>${TOOLS}${script}</script>`),
  ]);
  return {
    ...Object.fromEntries(scripted),
    '/fidelity/reveal-driven': driven(
      'animation-range: entry 0% cover 40%; } @keyframes reveal { from { opacity: 0; translate: 0 80px }',
      '',
    ),
    '/fidelity/reveal-driven-to': driven(
      'animation-range: entry 25% entry 90%; } @keyframes reveal { to { opacity: 1 }',
      'opacity: 0;',
    ),
  };
}

function driven(rule: string, base: string): Route {
  return page({
    head: `<style>.lazy { display: block; width: 300px; height: 300px; ${base} animation: linear both reveal; animation-timeline: view(); ${rule} }</style>`,
    body: `<div style="height:600px"></div>${LAZY_BOXES.map(({ colour }) => `<div class="lazy" style="background:${toCss(colour)}"></div>`).join('')}`,
  });
}
