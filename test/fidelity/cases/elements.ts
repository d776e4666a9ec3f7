import { deepEqual, ok } from 'node:assert/strict';
import { COLOUR, type Colour } from '../../support/colour.ts';
import type { Box } from '../../support/pages/box.ts';
import { expectRefused, expectScenery, readCapture } from '../expect.ts';
import type { FidelityCase } from '../fidelity-case.ts';
import { LARGE_BANDS, LARGE_TARGET, OVERLAP, TARGET } from '../pages/elements.ts';

const WINDOW = { window_width: 400, window_height: 300 } as const;

interface PlainTarget {
  readonly name: string;
  readonly title: string;
  readonly width?: number;
  readonly height?: number;
  /** Boxes on the target, in its own coordinates. */
  readonly boxes?: readonly Box[];
  readonly background?: Colour;
  readonly density?: number;
  readonly softEdge?: number;
}

const TARGETS: readonly PlainTarget[] = [
  { name: 'frame', title: 'in a frame of the same origin, with border and padding' },
  { name: 'frame-in-frame', title: 'in a frame in a frame of the same origin' },
  { name: 'frame-scrolled', title: 'in a frame, below the visible part of frame and window' },
  { name: 'scrolled', title: 'in a scroll container, below its visible part' },
  { name: 'rotated', title: 'that is rotated', width: TARGET.height, height: TARGET.width },
  { name: 'scaled', title: 'that is scaled and moved', width: TARGET.width * 2, height: TARGET.height * 2 },
  { name: 'fractional', title: 'at fractional pixels', boxes: [{ x: 0, y: 0, ...TARGET }], softEdge: 1 },
  {
    name: 'fractional',
    title: 'at fractional pixels, at density 1.5',
    boxes: [{ x: 0, y: 0, ...TARGET }],
    density: 1.5,
    softEdge: 2,
  },
  { name: 'below', title: 'far below the window, without the fixed header over it' },
  { name: 'below', title: 'far below the window, at density 2', density: 2 },
  { name: 'lazy', title: 'whose content loads in view' },
  { name: 'overlapped', title: 'that a neighbour overlaps: the picture shows both', boxes: [OVERLAP] },
  { name: 'svg', title: 'inside an SVG' },
  { name: 'row', title: 'that is a row of a table' },
  {
    name: 'large',
    title: 'larger than the window, without the fixed header over it',
    width: LARGE_TARGET.width,
    height: LARGE_TARGET.height,
    boxes: LARGE_BANDS,
  },
];

/** Pictures of one element. */
export const ELEMENT_CASES: readonly FidelityCase[] = [
  ...TARGETS.map(
    ({ name, title, width = TARGET.width, height = TARGET.height, density, ...scenery }): FidelityCase => ({
      id: `element.${name}${density === undefined ? '' : `-at-${density}`}`,
      title: `An element ${title}`,
      request: {
        page: `/fidelity/element-${name}`,
        ...WINDOW,
        selector: '#target',
        ...(density !== undefined && { pixel_density: density }),
      },
      check: async (answer) => {
        await expectScenery(answer, {
          boxes: [],
          background: TARGET.colour,
          width,
          height,
          density: density ?? 1,
          ...scenery,
        });
      },
    }),
  ),
  {
    id: 'element.shadow',
    title: 'An element in nested shadow roots',
    request: { page: '/fidelity/element-shadow', ...WINDOW, selector: '#target' },
    check: async (answer) => {
      const picture = await readCapture(answer);
      deepEqual([picture.width, picture.height], [TARGET.width, TARGET.height]);
      for (const [x, y] of [
        [0, 79],
        [119, 0],
        [119, 79],
      ] as const) {
        deepEqual(picture.pixel(x, y), [...TARGET.colour, 255]);
      }
    },
  },
  {
    id: 'element.inline',
    title: 'A word in a line of text',
    request: { page: '/fidelity/element-inline', ...WINDOW, selector: '#target' },
    check: async (answer) => {
      const picture = await readCapture(answer);
      const corners = [0, picture.width - 1].flatMap((x) => [0, picture.height - 1].map((y) => picture.pixel(x, y)));
      deepEqual(
        corners,
        Array.from({ length: 4 }, () => [...COLOUR.yellow, 255]),
      );
      ok(picture.width > 30 && picture.width < 70, `${picture.width} pixels wide`);
      ok(picture.height > 15 && picture.height < 40, `${picture.height} pixels high`);
      const dark = picture.rgba.filter((value, index) => index % 4 === 0 && value < 60);
      ok(dark.length > 40, `only ${dark.length} pixels of text`);
    },
  },
  ...['#none', '#invisible', '#flat', '#inside', '#detached'].map((selector): FidelityCase => ({
    id: `element.unseen-${selector.slice(1)}`,
    title: `An invisible element (${selector.slice(1)}) is an error`,
    request: { page: '/fidelity/element-none', ...WINDOW, selector },
    check: (answer) => expectRefused(answer, 400, 'ElementNotFoundError'),
  })),
];
