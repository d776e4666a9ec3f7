import { COLOUR, distinctColours, toCss } from '../../support/colour.ts';
import { boxMarkup, type Box } from '../../support/pages/box.ts';
import { page, sendHtml, toDocument, type Exchange, type Route, type Routes } from '../../support/pages/exchange.ts';

/** `/fidelity/hero`: a hero of 100vh, and 1,000 rows of content below it. */
export const HERO = { colour: COLOUR.blue, content: 1_000, contentColour: COLOUR.yellow } as const;

/** `/fidelity/embed`: a frame of another site, filled by the hero of `/fidelity/hero`. */
export const EMBED: Box = { x: 0, y: 1_500, width: 300, height: 200, colour: HERO.colour };

/** `/fidelity/fixed?height=`: a fixed header and footer, over a page that is all white. */
export const FIXED = {
  header: { colour: COLOUR.red, height: 50 },
  footer: { colour: COLOUR.blue, height: 40 },
} as const;

/**
 * `/fidelity/sticky`: a bar that sticks to the top of the viewport, in the middle of the page, and a column beside it.
 */
export const STICKY = {
  height: 2_000,
  bar: { x: 0, y: 500, width: 300, height: 60, colour: COLOUR.orange },
  column: { x: 300, y: 100, width: 100, height: 80, colour: COLOUR.green },
} as const;

const SHELL_HEADER = 50;
const ROWS = 10;
const ROW_HEIGHT = 200;
const SIDE = 60;

/** `/fidelity/shell-*`: a header 50 px high; below it ten coloured rows, one or two of them in the viewport. */
export const SHELL = {
  height: SHELL_HEADER + ROWS * ROW_HEIGHT,
  header: { x: 0, y: 0, width: 400, height: SHELL_HEADER, colour: COLOUR.black },
  rows: distinctColours(ROWS).map((colour, index): Box => ({
    x: 0,
    y: SHELL_HEADER + index * ROW_HEIGHT,
    width: 400,
    height: ROW_HEIGHT,
    colour,
  })),
  /** `/fidelity/shell-nested` has a column at the left, as high as the rows. */
  side: { x: 0, y: SHELL_HEADER, width: SIDE, height: ROWS * ROW_HEIGHT, colour: COLOUR.magenta },
} as const;

/** `/fidelity/wide`: 1,500 x 400, a box in each corner. */
export const WIDE = {
  width: 1_500,
  height: 400,
  boxes: [
    { x: 0, y: 0, width: 50, height: 50, colour: COLOUR.red },
    { x: 1_450, y: 0, width: 50, height: 50, colour: COLOUR.green },
    { x: 0, y: 350, width: 50, height: 50, colour: COLOUR.blue },
    { x: 1_450, y: 350, width: 50, height: 50, colour: COLOUR.orange },
  ],
} as const;

/**
 * Boxes of `/fidelity/bands?height=&band=&width=`: coloured bands one below the other, and a black line down the
 * middle.
 */
export function bandBoxes(width: number, height: number, band: number): readonly Box[] {
  const bands = Array.from({ length: Math.ceil(height / band) }, (_, index): Box => ({
    x: 0,
    y: index * band,
    width,
    height: Math.min(band, height - index * band),
    colour: [(index * 37) % 256, (index * 101) % 256, (index * 53) % 256],
  }));
  return [...bands, { x: Math.floor(width / 2), y: 0, width: 8, height, colour: COLOUR.black }];
}

/** `/fidelity/no-background`: a box on a page without any background. */
export const NO_BACKGROUND = { box: { x: 50, y: 40, width: 100, height: 60, colour: COLOUR.red } } as const;

/** Pages whose size, scrolling or fixed parts make full-page pictures hard. */
export function layoutRoutes(): Routes {
  const { header, rows, side } = SHELL;
  const headerMarkup = `<header style="height:${SHELL_HEADER}px;background:${toCss(header.colour)}"></header>`;
  const rowsMarkup = rows
    .map(({ colour }) => `<div style="height:${ROW_HEIGHT}px;background:${toCss(colour)}"></div>`)
    .join('');
  return {
    '/fidelity/hero': page({
      body: `<div style="height:100vh;background:${toCss(HERO.colour)}"></div>
<div style="height:${HERO.content}px;background:${toCss(HERO.contentColour)}"></div>`,
    }),
    '/fidelity/embed': ({ response, crossSiteOrigin }) =>
      sendHtml(
        response,
        toDocument({
          body: `<div style="height:${EMBED.y}px"></div><iframe src="${crossSiteOrigin}/fidelity/hero" width="${EMBED.width}" height="${EMBED.height}" style="border:0;display:block"></iframe>`,
        }),
      ),
    '/fidelity/fixed': fixedPage,
    '/fidelity/sticky': page({
      body: `<div style="position:relative;width:300px;float:left"><div style="height:500px"></div>
<div style="position:sticky;top:0;height:60px;background:${toCss(STICKY.bar.colour)}"></div><div style="height:1440px"></div></div>
<div style="float:left;width:100px;height:1900px;margin-top:100px">
<div style="position:sticky;top:10px;height:80px;background:${toCss(STICKY.column.colour)}"></div></div>`,
    }),
    '/fidelity/shell-flex': shell(`<div style="display:flex;flex-direction:column;height:100vh">${headerMarkup}
<main style="flex:1;overflow-y:auto">${rowsMarkup}</main></div>`),
    '/fidelity/shell-absolute': shell(`${headerMarkup}
<main style="position:absolute;left:0;right:0;top:${SHELL_HEADER}px;bottom:0;overflow:auto">${rowsMarkup}</main>`),
    '/fidelity/shell-fixed': shell(
      `<div style="position:fixed;inset:0;overflow-y:scroll">${headerMarkup}${rowsMarkup}</div>`,
    ),
    '/fidelity/shell-nested':
      shell(`<div style="position:fixed;inset:0;overflow:hidden;display:flex;flex-direction:column">${headerMarkup}
<div style="flex:1;min-height:0;display:flex"><nav style="width:${SIDE}px;background:${toCss(side.colour)}"></nav>
<div style="flex:1;min-width:0;position:relative;overflow:hidden"><main style="height:100%;overflow-y:auto">${rowsMarkup}</main></div></div></div>`),
    '/fidelity/shell-grid':
      shell(`<div style="display:grid;grid-template-rows:${SHELL_HEADER}px 1fr;height:100%">${headerMarkup}
<main style="overflow-y:auto;min-height:0">${rowsMarkup}</main></div>`),
    '/fidelity/wide': page({
      body: `<div style="position:relative;width:${WIDE.width}px;height:${WIDE.height}px">${WIDE.boxes.map((box) => boxMarkup(box)).join('')}</div>`,
    }),
    '/fidelity/bands': bandsPage,
    '/fidelity/no-background': ({ response }) =>
      sendHtml(
        response,
        `<!doctype html><title>Fixture</title><link rel="icon" href="data:,"><body style="margin:0">${boxMarkup(NO_BACKGROUND.box)}`,
      ),
  };
}

function shell(body: string): Route {
  return page({ head: '<style>html, body { height: 100%; overflow: hidden }</style>', body });
}

function fixedPage({ url, response }: Exchange): void {
  const body = `<div style="height:${Number(url.searchParams.get('height'))}px"></div>${barMarkup('top', FIXED.header)}${barMarkup('bottom', FIXED.footer)}`;
  sendHtml(response, toDocument({ body }));
}

function bandsPage({ url, response }: Exchange): void {
  const [width = 0, height = 0, band = 0] = ['width', 'height', 'band'].map((name) =>
    Number(url.searchParams.get(name)),
  );
  const boxes = bandBoxes(width, height, band)
    .map((box) => boxMarkup(box))
    .join('');
  sendHtml(
    response,
    toDocument({
      body: `<div style="position:relative;overflow:hidden;width:${width}px;height:${height}px">${boxes}</div>`,
    }),
  );
}

function barMarkup(edge: 'top' | 'bottom', { colour, height }: (typeof FIXED)['header' | 'footer']): string {
  return `<div style="position:fixed;left:0;right:0;${edge}:0;height:${height}px;background:${toCss(colour)}"></div>`;
}
