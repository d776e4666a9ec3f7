import { equal, ok } from 'node:assert/strict';
import { COLOUR } from '../../support/colour.ts';
import { expectScenery, expectWarnings, readCapture } from '../expect.ts';
import type { FidelityCase } from '../fidelity-case.ts';
import { AT_TOP, ENDLESS_TOP, LAZY_BOXES, LAZY_HEIGHT, LISTEN } from '../pages/lazy.ts';
import { readDrawings } from '../pdf-drawings.ts';
import { expectColour } from '../../support/pixels.ts';

const WINDOW = { window_width: 400, window_height: 300 } as const;
const ENDLESS_LIMIT_MS = 25_000;

const KINDS = [
  ['native', 'pictures with loading=lazy'],
  ['observed', 'content that an IntersectionObserver loads'],
  ['scrolled', 'content that a scroll listener loads'],
  ['handler', 'content that an inline event handler loads'],
  ['gone', 'content of a script that has removed itself from the page'],
  ['skipped', 'content that content-visibility: auto skips'],
  ['cancelled', 'content whose request ends when it leaves the window'],
  ['smooth', 'lazy content of a page with scroll-behavior: smooth'],
] as const;

/** Content that loads when it comes into view. */
export const LAZY_CASES: readonly FidelityCase[] = [
  ...KINDS.map(([name, title]): FidelityCase => ({
    id: `full-page.lazy-${name}`,
    title: `A full page contains ${title}`,
    request: { page: `/fidelity/lazy-${name}`, ...WINDOW, full_page: true },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: LAZY_HEIGHT, boxes: LAZY_BOXES });
      expectWarnings(answer);
    },
  })),
  ...KINDS.map(([name, title]): FidelityCase => ({
    id: `pdf.lazy-${name}`,
    title: `A pdf contains ${title}`,
    request: { page: `/fidelity/lazy-${name}`, ...WINDOW, format: 'pdf' },
    check: async (answer) => {
      const { images, fills } = await readDrawings(answer);
      if (name === 'native') ok(images >= LAZY_BOXES.length, `${images} pictures on paper`);
      else for (const { colour } of LAZY_BOXES) ok(fills.has(colour.join()), `no rgb(${colour.join()}) on paper`);
    },
  })),
  {
    id: 'full-page.lazy-custom-js',
    title: 'A full page without scripts contains content that custom_js loads on scroll',
    request: { page: '/fidelity/lazy-unscripted', ...WINDOW, full_page: true, custom_js: LISTEN },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: LAZY_HEIGHT, boxes: LAZY_BOXES });
      expectWarnings(answer);
    },
  },
  {
    id: 'full-page.no-scroll',
    title: 'full_page_scroll: false does not load lazy content',
    request: { page: '/fidelity/lazy-observed', ...WINDOW, full_page: true, full_page_scroll: false },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: LAZY_HEIGHT, boxes: [] });
    },
  },
  {
    id: 'full-page.endless',
    title: 'Scrolling of an endlessly growing page ends, with a warning',
    request: { page: '/fidelity/endless', window_width: 100, window_height: 600, full_page: true },
    check: async (answer) => {
      const picture = await readCapture(answer);
      expectColour(picture, 50, 150, ENDLESS_TOP.colour);
      expectColour(picture, 50, picture.height - 1, COLOUR.white);
      expectWarnings(answer, 'scroll_incomplete');
      ok(answer.elapsedMs < ENDLESS_LIMIT_MS * answer.patience, `took ${Math.round(answer.elapsedMs)} ms`);
    },
  },
  {
    id: 'full-page.endless-cut',
    title: 'full_page_max_height cuts a growing page and stops scrolling there',
    request: {
      page: '/fidelity/endless',
      window_width: 100,
      window_height: 600,
      full_page: true,
      full_page_max_height: 4_000,
    },
    check: async (answer) => {
      await expectScenery(answer, { width: 100, height: 4_000, boxes: [ENDLESS_TOP] });
      expectWarnings(answer);
      ok(answer.elapsedMs < 3_000 * answer.patience, `took ${Math.round(answer.elapsedMs)} ms`);
    },
  },
  {
    id: 'full-page.max-height',
    title: 'full_page_max_height cuts a taller page and does not change a lower one',
    request: { page: '/fidelity/lazy-native', ...WINDOW, full_page: true, full_page_max_height: 1_000 },
    check: async (answer, { capture }) => {
      await expectScenery(answer, { width: 400, height: 1_000, boxes: LAZY_BOXES });
      const uncut = await capture({
        page: '/fidelity/lazy-native',
        ...WINDOW,
        full_page: true,
        full_page_max_height: 9_000,
      });
      equal(uncut.headers.get('x-image-height'), `${LAZY_HEIGHT}`);
    },
  },
  {
    id: 'full-page.at-top',
    title: 'The page is scrolled back to its top before the picture',
    request: { page: '/fidelity/at-top', ...WINDOW, full_page: true },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: AT_TOP.height, boxes: [AT_TOP.box] });
    },
  },
];
