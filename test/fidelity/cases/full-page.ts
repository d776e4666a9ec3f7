import { deepEqual } from 'node:assert/strict';
import { expectOneRun, expectScenery, readCapture } from '../expect.ts';
import type { FidelityCase } from '../fidelity-case.ts';
import { bandBoxes, EMBED, FIXED, HERO, NO_BACKGROUND, SHELL, STICKY, WIDE } from '../pages/layout.ts';

const WINDOW = { window_width: 400, window_height: 300 } as const;
const TRANSPARENT = [0, 0, 0, 0];

const SHELLS = [
  ['flex', 'a flex column'],
  ['absolute', 'an absolutely positioned element'],
  ['fixed', 'a fixed element that fills the window'],
  ['nested', 'an element inside others with hidden overflow'],
  ['grid', 'a grid row'],
] as const;

/** Full-page pictures, as a person would see the page. */
export const FULL_PAGE_CASES: readonly FidelityCase[] = [
  {
    id: 'full-page.hero',
    title: 'A section of 100vh keeps the height of the window',
    request: { page: '/fidelity/hero', ...WINDOW, full_page: true },
    check: async (answer) => {
      await expectScenery(answer, {
        width: 400,
        height: 300 + HERO.content,
        boxes: [
          { x: 0, y: 0, width: 400, height: 300, colour: HERO.colour },
          { x: 0, y: 300, width: 400, height: HERO.content, colour: HERO.contentColour },
        ],
      });
    },
  },
  {
    id: 'full-page.embed',
    title: 'A full page contains a frame of another site below the window',
    request: { page: '/fidelity/embed', ...WINDOW, full_page: true },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: EMBED.y + EMBED.height, boxes: [EMBED] });
    },
  },
  ...[2_000, 20_000].map((height): FidelityCase => ({
    id: `full-page.fixed-${height}`,
    title: `A fixed header appears once at the top and a fixed footer once, on ${height} rows`,
    request: { page: `/fidelity/fixed?height=${height}`, ...WINDOW, full_page: true },
    check: async (answer) => {
      const picture = await readCapture(answer);
      deepEqual([picture.width, picture.height], [400, height]);
      deepEqual(picture.pixel(200, 0), [...FIXED.header.colour, 255]);
      expectOneRun(picture, 200, FIXED.header.colour, FIXED.header.height);
      expectOneRun(picture, 200, FIXED.footer.colour, FIXED.footer.height);
    },
  })),
  {
    id: 'full-page.sticky',
    title: 'Sticky elements appear once, at their own position',
    request: { page: '/fidelity/sticky', ...WINDOW, full_page: true },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: STICKY.height, boxes: [STICKY.bar, STICKY.column] });
    },
  },
  ...SHELLS.map(([name, title]): FidelityCase => ({
    id: `full-page.shell-${name}`,
    title: `An app shell that scrolls in ${title} is captured whole`,
    request: { page: `/fidelity/shell-${name}`, ...WINDOW, full_page: true },
    check: async (answer) => {
      const side = name === 'nested' ? [SHELL.side] : [];
      await expectScenery(answer, {
        width: 400,
        height: SHELL.height,
        boxes: [SHELL.header, ...SHELL.rows, ...side],
      });
    },
  })),
  {
    id: 'full-page.wide',
    title: 'A full page contains overflow to the right',
    request: { page: '/fidelity/wide', ...WINDOW, full_page: true },
    check: async (answer) => {
      await expectScenery(answer, WIDE);
    },
  },
  {
    id: 'clip.rectangle',
    title: 'clip captures a rectangle of the whole page, also outside of the window',
    request: {
      page: '/fidelity/bands?width=400&height=3000&band=100',
      ...WINDOW,
      clip: { x: 150, y: 1_250, width: 100, height: 400 },
    },
    check: async (answer) => {
      const boxes = bandBoxes(400, 3_000, 100).map((box) => ({ ...box, x: box.x - 150, y: box.y - 1_250 }));
      await expectScenery(answer, { width: 100, height: 400, boxes });
    },
  },
  ...(['png', 'webp'] as const).map((format): FidelityCase => ({
    id: `background.omitted-${format}`,
    title: `omit_background makes unpainted areas of a ${format} transparent`,
    request: { page: '/fidelity/no-background', ...WINDOW, format, omit_background: true },
    check: async (answer) => {
      const picture = await readCapture(answer);
      const { x, y, width, height, colour } = NO_BACKGROUND.box;
      deepEqual(picture.pixel(0, 0), TRANSPARENT);
      deepEqual(picture.pixel(x + width + 20, y + height + 20), TRANSPARENT);
      const [red, green, blue, alpha] = picture.pixel(x + width / 2, y + height / 2);
      deepEqual([red > 240, green < 12, blue < 12, alpha], [true, true, true, 255], `not ${colour.join()}`);
    },
  })),
  {
    id: 'background.white',
    title: 'A page without background is white, also as jpeg with omit_background',
    request: { page: '/fidelity/no-background', ...WINDOW },
    check: async (answer, { capture }) => {
      const boxes = [NO_BACKGROUND.box];
      await expectScenery(answer, { width: 400, height: 300, boxes });
      const jpeg = await capture({
        page: '/fidelity/no-background',
        ...WINDOW,
        format: 'jpeg',
        omit_background: true,
      });
      await expectScenery(jpeg, { width: 400, height: 300, boxes, softEdge: 16, tolerance: 12 });
    },
  },
];
