import { COLOUR, toCss } from '../../support/colour.ts';
import { boxMarkup } from '../../support/pages/box.ts';
import { page, type Route, type Routes } from '../../support/pages/exchange.ts';

/** `#target` of every page here, by default blue, 120 x 80, on white. */
export const TARGET = { width: 120, height: 80, colour: COLOUR.blue } as const;
const box = (x: number, y: number) => ({ x, y, ...TARGET });
const target = (x: number, y: number): string => boxMarkup(box(x, y), 'id="target"');

/**
 * `/fidelity/element-large`: twice as wide and five times as high as the viewport: four bands, and a fixed header above
 * it.
 */
export const LARGE_TARGET = { x: 10, y: 100, width: 800, height: 1_600 } as const;
export const LARGE_BANDS = [COLOUR.red, COLOUR.green, COLOUR.blue, COLOUR.orange].map((colour, index) => ({
  x: 0,
  y: index * 400,
  width: 800,
  height: 400,
  colour,
}));

/** `/fidelity/element-overlapped`: a yellow neighbour covers this part of the target. */
export const OVERLAP = { x: 80, y: 0, width: 40, height: 30, colour: COLOUR.yellow } as const;

/** Elements in places that are hard to reach. */
export function elementRoutes(): Routes {
  return {
    '/fidelity/element-shadow': page({
      body: `<div id="host" style="position:absolute;left:30px;top:40px"></div><script>
  const outer = host.attachShadow({ mode: 'open' });
  outer.innerHTML = '<p style="margin:0">Outside</p><section style="position:absolute;left:20px;top:60px"></section>';
  const inner = outer.querySelector('section').attachShadow({ mode: 'open' });
  inner.innerHTML = ${JSON.stringify(target(5, 6).replace('></div>', '>Inside</div>')).replaceAll('</', String.raw`<\/`)};
</script>`,
    }),
    '/fidelity/element-frame': page({ body: inFrame('/fidelity/framed', 60) }),
    '/fidelity/framed': page({ body: target(20, 30) }),
    '/fidelity/element-frame-in-frame': page({ body: inFrame('/fidelity/element-frame', 30) }),
    '/fidelity/element-frame-scrolled': page({
      body: `${spacer(1_200)}${inFrame('/fidelity/framed-below', 900)}`,
    }),
    '/fidelity/framed-below': page({ body: `${spacer(1_000)}${target(20, 700)}` }),
    '/fidelity/element-scrolled': page({
      body: `<div style="position:absolute;left:40px;top:40px;width:200px;height:150px;overflow:auto">
<div style="position:relative;height:1000px">${target(20, 500)}</div></div>`,
    }),
    '/fidelity/element-rotated': page({
      body: target(100, 60).replace('style="', 'style="transform:rotate(90deg);'),
    }),
    '/fidelity/element-scaled': page({
      body: target(0, 0).replace('style="', 'style="transform:translate(60px,50px) scale(2);transform-origin:0 0;'),
    }),
    '/fidelity/element-fractional': page({
      body: boxMarkup({ ...box(20, 30), x: 20.4, y: 30.6 }, 'id="target"'),
    }),
    '/fidelity/element-large': page({
      body: `<div style="position:fixed;z-index:9;left:0;right:0;top:0;height:60px;background:#000"></div>
<div id="target" style="position:absolute;left:${LARGE_TARGET.x}px;top:${LARGE_TARGET.y}px;width:800px;height:1600px">
${LARGE_BANDS.map((band) => boxMarkup(band)).join('')}</div>`,
    }),
    '/fidelity/element-below': page({
      body: `<div style="position:fixed;z-index:9;left:0;right:0;top:0;height:60px;background:#000"></div>${spacer(3_000)}${target(50, 2_500)}`,
    }),
    '/fidelity/element-lazy': page({
      body: `${spacer(3_000)}<div id="target" style="position:absolute;left:50px;top:2500px;width:120px;height:80px"></div>
<script>
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting) target.innerHTML = '<div style="height:80px;background:${toCss(TARGET.colour)}"></div>';
  }).observe(target);
</script>`,
    }),
    '/fidelity/element-overlapped': page({
      body: `${target(50, 60)}${boxMarkup({ x: 130, y: 40, width: 100, height: 50, colour: OVERLAP.colour })}`,
    }),
    '/fidelity/element-svg': page({
      body: `<svg width="400" height="300" style="position:absolute;left:0;top:0" shape-rendering="crispEdges">
<rect width="400" height="300" fill="#eee"/><g transform="translate(30 20)"><rect id="target" x="10" y="10" width="120" height="80" fill="${toCss(TARGET.colour)}"/></g></svg>`,
    }),
    '/fidelity/element-row': page({
      body: `<table style="border-collapse:collapse;position:absolute;left:20px;top:20px">
${['red', toCss(TARGET.colour), 'orange'].map((colour, row) => `<tr${row === 1 ? ' id="target"' : ''} style="background:${colour}">${'<td style="padding:0;width:60px;height:80px"></td>'.repeat(2)}</tr>`).join('')}</table>`,
    }),
    '/fidelity/element-inline': page({
      body: `<p style="margin:0;position:absolute;left:10px;top:10px;font:20px/60px sans-serif">before <span id="target" style="background:${toCss(COLOUR.yellow)}">word</span> after</p>`,
    }),
    '/fidelity/element-none': nothingToSee(),
  };
}

function nothingToSee(): Route {
  return page({
    body: `<div id="none" style="display:none;width:50px;height:50px"></div>
<div id="invisible" style="visibility:hidden;width:50px;height:50px"></div>
<div id="flat" style="width:50px;height:0"></div>
<div style="display:none"><b id="inside">b</b></div>
<div id="detached">x</div><script>window.kept = document.getElementById('detached'); kept.remove();</script>`,
  });
}

function spacer(height: number): string {
  return `<div style="height:${height}px"></div>`;
}

function inFrame(source: string, y: number): string {
  return `<iframe src="${source}" width="300" height="150" style="position:absolute;left:50px;top:${y}px;border:5px solid red;padding:3px"></iframe>`;
}
