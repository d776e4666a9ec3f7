import { ok } from 'node:assert/strict';
import { expectScenery } from '../expect.ts';
import type { FidelityCase } from '../fidelity-case.ts';
import { GROWN_LIST } from '../pages/growing-list.ts';
import { LAZY_BOXES, LAZY_HEIGHT } from '../pages/lazy.ts';
import { REVEALS } from '../pages/revealed.ts';
import { readDrawings } from '../pdf-drawings.ts';

const WINDOW = { window_width: 400, window_height: 300 } as const;

const REVEAL: readonly FidelityCase[] = REVEALS.flatMap((name): FidelityCase[] => [
  {
    id: `full-page.reveal-${name}`,
    title: `A full page shows every section that appears on scroll, variant ${name}`,
    request: { page: `/fidelity/reveal-${name}`, ...WINDOW, full_page: true },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: LAZY_HEIGHT, boxes: LAZY_BOXES });
    },
  },
  {
    id: `pdf.reveal-${name}`,
    title: `A pdf shows every section that appears on scroll, variant ${name}`,
    request: { page: `/fidelity/reveal-${name}`, ...WINDOW, format: 'pdf' },
    check: async (answer) => {
      const { fills } = await readDrawings(answer);
      for (const { colour } of LAZY_BOXES) ok(fills.has(colour.join()), `no rgb(${colour.join()}) on paper`);
    },
  },
]);

const GROWING: readonly FidelityCase[] = ['observed', 'scrolled'].flatMap((name): FidelityCase[] => [
  {
    id: `full-page.growing-list-${name}`,
    title: `A full page contains every batch of a growing list with its pictures, variant ${name}`,
    request: { page: `/fidelity/growing-list-${name}`, ...WINDOW, full_page: true },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: GROWN_LIST.height, boxes: [GROWN_LIST] });
    },
  },
  {
    id: `pdf.growing-list-${name}`,
    title: `A pdf contains every batch of a growing list with its pictures, variant ${name}`,
    request: { page: `/fidelity/growing-list-${name}`, ...WINDOW, format: 'pdf' },
    check: async (answer) => {
      const { images } = await readDrawings(answer);
      ok(images >= GROWN_LIST.height / GROWN_LIST.width, `${images} pictures on paper`);
    },
  },
]);

/** Content that loads or is revealed on scroll. */
export const REVEAL_CASES: readonly FidelityCase[] = [...REVEAL, ...GROWING];
