import { expectRefused, expectScenery } from '../expect.ts';
import type { FidelityCase } from '../fidelity-case.ts';
import { bandBoxes } from '../pages/layout.ts';

const tall = (height: number, density: number, width = 640): FidelityCase => ({
  id: `tall.${height}-at-${density}`,
  title: `${height} rows at density ${density}: every band is correct, to the last row`,
  request: {
    page: `/fidelity/bands?width=${width}&height=${height}&band=90`,
    window_width: Math.min(width, 640),
    window_height: 480,
    full_page: true,
    full_page_scroll: false,
    pixel_density: density,
  },
  check: async (answer) => {
    await expectScenery(answer, {
      width,
      height,
      boxes: bandBoxes(width, height, 90),
      density,
      softEdge: Number.isInteger(density) ? 0 : 1,
    });
  },
});

const tooLarge = (format: string, height: number, density: number): FidelityCase => ({
  id: `tall.${format}-${height}-at-${density}`,
  title: `${format} of ${height * density} rows is refused, because it exceeds the limit of the format`,
  request: {
    page: `/fidelity/bands?width=100&height=${height}&band=90`,
    window_width: 100,
    window_height: 480,
    full_page: true,
    full_page_scroll: false,
    pixel_density: density,
    format,
  },
  check: (answer) => expectRefused(answer, 400, 'ResultTooLargeError'),
});

/** Pages taller than a compositor can draw in one tile. */
export const TALL_CASES: readonly FidelityCase[] = [
  tall(40_000, 1),
  tall(20_000, 2),
  tall(13_000, 1.37),
  { ...tall(12_000, 1.5), isLong: true },
  { ...tall(13_000, 1.3333), isLong: true },
  { ...tall(9_000, 2.625), isLong: true },
  { ...tall(24_000, 0.75), isLong: true },
  tall(600, 1.5, 12_000),
  tooLarge('webp', 16_384, 1),
  tooLarge('webp', 8_192, 2),
  tooLarge('jpeg', 65_501, 1),
  {
    ...tooLarge('webp', 16_383, 1),
    id: 'tall.webp-16383',
    title: 'webp of 16,383 rows, the limit of the format, is correct',
    check: async (answer) => {
      await expectScenery(answer, {
        width: 100,
        height: 16_383,
        boxes: bandBoxes(100, 16_383, 90),
        softEdge: 16,
        tolerance: 24,
      });
    },
  },
];
