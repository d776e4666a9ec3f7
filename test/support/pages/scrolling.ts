import { COLOUR, distinctColours, pictureOf } from '../colour.ts';
import { boxMarkup, type Box } from './box.ts';
import { page, type Route, type Routes } from './exchange.ts';

const TALL_HEIGHT = 3000;
const BAND_EVERY = 500;
const BAND_COLOURS = [COLOUR.red, COLOUR.green, COLOUR.blue, COLOUR.yellow, COLOUR.orange, COLOUR.cyan];

/**
 * `/tall`: exactly 1280 by 3000 pixels. Bands 100 px high start at y = 0, 500, 1000 ... 2500, each of another colour,
 * with white between them. The last 10 rows, 2990 to 2999, are magenta.
 */
export const TALL_PAGE = {
  width: 1280,
  height: TALL_HEIGHT,
  bands: BAND_COLOURS.map((colour, index): Box => ({
    x: 0,
    y: index * BAND_EVERY,
    width: 1280,
    height: 100,
    colour,
  })),
  end: { x: 0, y: TALL_HEIGHT - 10, width: 1280, height: 10, colour: COLOUR.magenta },
} as const;

const LAZY_SPACER = 800; // the first lazy picture starts below a 720 px window
const LAZY_HEIGHT = 400;
const LAZY_COUNT = 12;
const OBSERVED_COUNT = 4;

/**
 * `/lazy`: 800 white rows, then 400x400 pictures one below the other at x = 0: twelve with `loading=lazy` (y = 800 to
 * 5599), then four whose `src` is set by an IntersectionObserver once they are in the viewport (y = 5600 to 7199).
 * White until loaded. Total height 7200.
 */
export const LAZY_PAGE = {
  height: LAZY_SPACER + LAZY_HEIGHT * (LAZY_COUNT + OBSERVED_COUNT),
  native: lazyBoxes().slice(0, LAZY_COUNT),
  observed: lazyBoxes().slice(LAZY_COUNT),
} as const;

/** Pages taller than any viewport. */
export function scrollingRoutes(): Routes {
  const { width, height, bands, end } = TALL_PAGE;
  return {
    '/tall': page({
      body: `<div style="position:relative;width:${width}px;height:${height}px">${[...bands, end]
        .map((box) => boxMarkup(box))
        .join('')}</div>`,
    }),
    '/lazy': lazyPage(),
  };
}

function lazyBoxes(): readonly Box[] {
  return distinctColours(LAZY_COUNT + OBSERVED_COUNT).map((colour, index) => ({
    x: 0,
    y: LAZY_SPACER + index * LAZY_HEIGHT,
    width: LAZY_HEIGHT,
    height: LAZY_HEIGHT,
    colour,
  }));
}

function lazyPage(): Route {
  const size = `width="${LAZY_HEIGHT}" height="${LAZY_HEIGHT}" alt="" style="display:block"`;
  const native = LAZY_PAGE.native.map(({ colour }) => `<img loading="lazy" ${size} src="${pictureOf(colour)}?lazy">`);
  const observed = LAZY_PAGE.observed.map(({ colour }) => `<img ${size} data-src="${pictureOf(colour)}?observed">`);
  return page({
    body: `<div style="height:${LAZY_SPACER}px"></div>${native.join('')}${observed.join('')}
<script>
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      observer.unobserve(entry.target);
      entry.target.src = entry.target.dataset.src;
    }
  });
  for (const image of document.querySelectorAll('[data-src]')) observer.observe(image);
</script>`,
  });
}
