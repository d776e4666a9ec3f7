import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { type Routes, sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { type Pdf, readPdf, readPictureColours } from '../../support/pdf.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const MM = 72 / 25.4;
/** Margins of Chrome on both sides of A4, in points. */
const MARGIN = 10 * MM;
const LABELS = ['one', 'two', 'three', 'four', 'last'];

interface ChartPage {
  /** File of the library in its package. */
  readonly file: string;
  readonly script: string;
}

/** Charts as wide as the page, in three ways: a canvas that observes its size, and SVG that listens for `resize`. */
const CHARTS: Readonly<Record<string, ChartPage>> = {
  'chart.js': {
    file: 'chart.js/dist/chart.umd.min.js',
    // The labels of a canvas are no text, so the page writes down where the bars are.
    script: `const canvas = chart.appendChild(document.createElement('canvas'));
      chart.style.height = '300px';
      new Chart(canvas, { type: 'bar', data: { labels: LABELS, datasets: [{ data: [5, 4, 3, 2, 5] }] },
        options: { maintainAspectRatio: false },
        plugins: [{ id: 'labels', afterDraw: (drawn) => {
          for (const label of document.querySelectorAll('.label')) label.remove();
          for (const [index, { x }] of drawn.getDatasetMeta(0).data.entries()) {
            const label = chart.appendChild(document.createElement('i'));
            Object.assign(label, { className: 'label', textContent: LABELS[index], style: 'position: absolute; top: 310px; left: ' + (x - 20) + 'px' });
          }
        } }] });`,
  },
  chartist: {
    file: 'chartist/dist/index.umd.js',
    script: `new Chartist.BarChart(chart, { labels: LABELS, series: [[5, 4, 3, 2, 5]] }, { height: 300 });`,
  },
  'frappe-charts': {
    file: 'frappe-charts/dist/frappe-charts.min.umd.js',
    script: `new frappe.Chart(chart, { type: 'bar', height: 300, data: { labels: LABELS, datasets: [{ values: [5, 4, 3, 2, 5] }] } });`,
  },
};

/** Writes a word each time that the page notices print media in one of these ways. */
const NOTICES = `const say = (word) => { words.textContent += word + ' '; };
  matchMedia('print').addEventListener('change', () => {
    say('media');
    requestAnimationFrame(() => say('frame'));
    new ResizeObserver((_, observer) => { observer.disconnect(); say('size'); }).observe(words);
    new IntersectionObserver((_, observer) => { observer.disconnect(); say('view'); }).observe(words);
  });
  addEventListener('beforeprint', () => {
    say('before');
    requestAnimationFrame(() => requestAnimationFrame(() => say('two-frames')));
    setTimeout(() => say('timer'), 300);
  });
  addEventListener('afterprint', () => say('after'));`;

const wide = (width: number): string => `<div style="width: ${width}px; background: red">Wide</div>`;

const drawWith = (gl: string, colour: readonly number[]): string =>
  `${gl}.clearColor(${colour.map((value) => value / 255).join()}, 1); ${gl}.clear(${gl}.COLOR_BUFFER_BIT);`;
/** Colours of WebGL canvases, and the scripts that draw them on `canvas`. */
const DRAWINGS: Readonly<Record<string, readonly [script: string, colour: readonly number[]]>> = {
  webgl: [`const gl = canvas.getContext('webgl', { alpha: false }); ${drawWith('gl', [0, 153, 0])}`, [0, 153, 0]],
  'webgl2 in each frame': [
    `const gl = canvas.getContext('webgl2'); const draw = () => { ${drawWith('gl', [0, 0, 255])} requestAnimationFrame(draw); }; draw();`,
    [0, 0, 255],
  ],
  'a worker': [
    `const off = canvas.transferControlToOffscreen();
      const code = \`onmessage = ({ data }) => { const gl = data.getContext('webgl'); ${drawWith('gl', [255, 0, 0])} }\`;
      new Worker(URL.createObjectURL(new Blob([code]))).postMessage(off, [off]);`,
    [255, 0, 0],
  ],
};
const drawing = (name: string): string =>
  `<canvas width="50" height="40"></canvas><script>{ const canvas = document.currentScript.previousElementSibling; ${DRAWINGS[name]?.[0]} }</script>`;

describe('a page that draws for its paper', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    const moreRoutes: Routes = {
      '/chart/*': ({ response, rest }) => {
        const body = `<div id="chart" style="position: relative"></div><script src="/packages/${CHARTS[rest]?.file}"></script>
          <script>const LABELS = ${JSON.stringify(LABELS)}; ${CHARTS[rest]?.script ?? ''}</script>`;
        sendHtml(response, toDocument({ body }));
      },
      '/drawing': ({ response }) => sendHtml(response, toDocument({ body: drawing('webgl') })),
      '/drawings': ({ response, crossSiteOrigin }) => {
        const body = `${Object.keys(DRAWINGS).map(drawing).join('')}<iframe src="${crossSiteOrigin}/drawing"></iframe><script>
          const { getContext } = HTMLCanvasElement.prototype;
          const errorOf = () => { try { document.createElement('canvas').getContext(); } catch ({ name }) { return name; } };
          const isKnown = document.createElement('canvas').getContext('2d') instanceof CanvasRenderingContext2D;
          document.body.append([getContext, errorOf(), isKnown].join(', '));</script>`;
        sendHtml(response, toDocument({ body }));
      },
    };
    [site, service] = await Promise.all([createFixtureSite({ moreRoutes }), sharedService()]);
  });
  afterAll(() => site.close());

  const print = async (fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer & { pdf: Pdf }> => {
    const answer = await capture(service.url, { format: 'pdf', ...fields });
    expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
    return { ...answer, pdf: await readPdf(answer.body) };
  };
  const wordsOf = async (fields: Readonly<Record<string, unknown>> = {}): Promise<readonly string[]> => {
    const html_content = `<p id="words"></p><script>${NOTICES}</script>`;
    const { pdf } = await print({ html_content, ...fields });
    return pdf.pages[0]?.text.trim().split(' ') ?? [];
  };

  it.each(Object.keys(CHARTS).flatMap((name) => [false, true].map((isLandscape) => [name, isLandscape] as const)))(
    'has a whole chart of %s, landscape: %s',
    async (name, pdf_landscape) => {
      const { pdf, headers } = await print({ url: site.url(`/chart/${name}`), pdf_landscape });
      const [{ runs, widthPt } = { runs: [], widthPt: 0 }] = pdf.pages;
      const labels = LABELS.map((label) => runs.find(({ text }) => text.includes(label))?.leftPt ?? NaN);
      const steps = labels.slice(1).map((left, index) => left - (labels[index] ?? NaN));

      expect(headers.get('x-capture-warnings')).toBeNull();
      // The bars fill the width of the paper evenly. Drawn for the window, the last one would lie beyond it.
      const room = widthPt - 2 * MARGIN;
      for (const step of steps) expect(step / room).toBeCloseTo(0.19, 1);
      expect(labels[4]).toBeGreaterThan(0.75 * room);
      expect(labels[4]).toBeLessThan(widthPt - MARGIN - 20);
    },
  );

  it('has what it draws with WebGL, also in a frame of another site', async () => {
    const { body, pdf } = await print({ url: site.url('/drawings') });

    const colours = Object.values(DRAWINGS).map(([, colour]) => colour);
    expect(await readPictureColours(body)).toEqual([...colours, DRAWINGS['webgl']?.[1]]);
    expect(pdf.pages[0]?.text).toBe('function getContext() { [native code] }, TypeError, true');
  });

  it('notices print media, the size of the paper and `beforeprint` once', async () => {
    const words = await wordsOf();

    expect(words.toSorted()).toEqual(['before', 'frame', 'media', 'size', 'timer', 'two-frames', 'view']);
  });

  it('notices them without running ahead, except for timers', async () => {
    const words = await wordsOf({ run_ahead: 0, pdf_landscape: true });

    expect(words).toEqual(expect.arrayContaining(['before', 'frame', 'media', 'size', 'two-frames', 'view']));
  });

  it('notices them once on a single sheet, which is printed several times', async () => {
    const words = await wordsOf({ pdf_single_page: true });

    expect(words.filter((word) => word === 'before' || word === 'after')).toEqual(['before']);
  });

  it('stays on screen with media_type=screen', async () => {
    expect(await wordsOf({ media_type: 'screen' })).not.toContain('media');
  });

  it('is laid out once for the paper that it sets', async () => {
    const html_content = `<style>@page { size: A3; margin: 20px }</style><p id="widths"></p><script>
      addEventListener('resize', () => { widths.textContent += ' width' + innerWidth; });</script>`;
    const { pdf } = await print({ html_content });

    expect(pdf.pages[0]?.text.trim()).toBe('width1082');
  });

  it('has the size that its scripts see after the transitions to the print layout', async () => {
    const html_content = `<style>body { margin: 0 } main { margin-left: 250px; transition: margin 5s } @media print { main { margin: 0 } }</style>
      <main id="main">Width</main><script>
      addEventListener('resize', () => setTimeout(() => { main.textContent = 'Width ' + main.offsetWidth; }, 200));</script>`;
    const { pdf } = await print({ html_content });

    expect(pdf.pages[0]?.text.trim()).toBe('Width 718');
  });

  const MEASURES = `<p id="width"></p><script>
    new ResizeObserver(() => { width.textContent = 'width ' + document.body.clientWidth; }).observe(document.body);</script>`;
  it.each<[string, Readonly<Record<string, unknown>>, string, number]>([
    ['A4 with the usual margins', {}, '', 718],
    ['a smaller scale', { pdf_scale: 0.5 }, '', 1_436],
    ['its margins', { pdf_margin: '40px' }, '', 713],
    ['paper that the page sets', {}, '@page { size: 1000px 500px; margin: 20px }', 960],
    ['a window of a phone', { is_mobile: true, window_width: 390 }, '', 718],
  ])('is as wide as %s', async (_name, fields, css, width) => {
    const html_content = `<style>body { margin: 0 } ${css}</style>${MEASURES}`;

    const { pdf } = await print({ html_content, ...fields });

    const [, seen] = /width (\d+)/.exec(pdf.pages[0]?.text ?? '') ?? [];
    expect(Math.abs(Number(seen) - width)).toBeLessThanOrEqual(2);
  });

  const table = `<table style="width: 1400px"><tr>${'<td>A cell</td>'.repeat(8)}</tr></table>`;
  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['a wide table', table, {}],
    [
      'content of a page that is written from right to left',
      `<div dir="rtl">${wide(1_400)}</div>`,
      { custom_css: 'html { direction: rtl }' },
    ],
    ['content of a single sheet', wide(1_400), { pdf_single_page: true }],
    ['content at a smaller scale', wide(3_000), { pdf_scale: 0.5 }],
    ['content beside an empty first page', '<p style="position: absolute; left: 3000px">Far</p>', {}],
  ])('warns of %s that the paper cuts off', async (_name, html_content, fields) => {
    const { headers } = await print({ html_content, ...fields });

    expect(headers.get('x-capture-warnings')).toMatch(/^(?:content_shrunk,)?content_cut$/);
  });

  it.each<[string, string, Readonly<Record<string, unknown>>]>([
    ['a wide table on landscape', table, { pdf_landscape: true }],
    ['content that Chrome shrinks to its paper', wide(1_060), {}],
    [
      'content that is narrow in print',
      `<style>@media print { div { width: 300px !important } }</style>${wide(2_000)}`,
      {},
    ],
    ['content on paper that the page sets', `<style>@page { size: A3 }</style>${wide(1_500)}`, {}],
    ['content that the page itself cuts off', `<div style="overflow: hidden">${wide(2_000)}</div>`, {}],
    ['a page that is written from right to left', '<html dir="rtl"><p>Short</p>', {}],
    [
      'vertical text on several sheets',
      `<html style="writing-mode: vertical-rl">${'<p>Text of a column</p>'.repeat(60)}`,
      {},
    ],
  ])('does not warn of %s', async (_name, html_content, fields) => {
    const { headers } = await print({ html_content, ...fields });

    expect(['content_shrunk', null]).toContain(headers.get('x-capture-warnings'));
  });
});
