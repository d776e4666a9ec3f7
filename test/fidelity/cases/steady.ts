import { deepEqual, equal, ok } from 'node:assert/strict';
import { expectCaptured, expectScenery, readCapture } from '../expect.ts';
import type { FidelityCase, TimedAnswer } from '../fidelity-case.ts';
import { FIELD, SCROLLED, STILL_BOX } from '../pages/moving.ts';

const WINDOW = { window_width: 400, window_height: 300 } as const;
/** Tolerance for lossy frames. */
const VIDEO_TOLERANCE = 6;

const STILL = [
  ['animation-infinite', 'An endless CSS animation is shown at its first moment'],
  ['animation-finite', 'A finite CSS animation is shown at its end'],
  ['script-animation', 'An animation that a script started is shown at its end'],
  ['transition', 'A CSS transition is shown at its end'],
  ['gif', 'An animated gif shows its first frame'],
  ['apng', 'An animated png shows its first frame'],
  ['webp', 'An animated webp shows its first frame'],
  [
    'animated-places',
    'An animated picture shows its first frame in img, CSS, SVG, a poster, a frame and a shadow tree',
  ],
  ['svg-ended', 'Finite SVG animations are shown at their end: chains, a shadow tree, an object, a frame'],
  ['svg-endless', 'Endless SVG animations are shown at their first moment, also in a frame of another site'],
  ['svg-pictures', 'An SVG file with animations stands still in img and as a background'],
  ['video', 'A video with autoplay shows its first frame'],
] as const;

const seenBy = (answer: TimedAnswer): string => {
  expectCaptured(answer);
  return /<p id="seen">([^<]*)/.exec(answer.body.toString())?.[1] ?? '';
};

/** Moving content is frozen: the same page gives the same bytes. */
export const STEADY_CASES: readonly FidelityCase[] = [
  {
    id: 'steady.caret',
    title: 'The caret of a focused field is hidden',
    request: { page: '/fidelity/caret', ...WINDOW },
    isSteady: true,
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: 300, boxes: [FIELD] });
    },
  },
  ...STILL.map(([name, title]): FidelityCase => ({
    id: `steady.${name}`,
    title,
    request: { page: `/fidelity/${name}`, ...WINDOW },
    isSteady: true,
    check: async (answer) => {
      const tolerance = name === 'video' ? VIDEO_TOLERANCE : 2;
      await expectScenery(answer, { width: 400, height: 300, boxes: [STILL_BOX], tolerance });
    },
  })),
  {
    id: 'steady.scrollbars',
    title: 'Scroll bars are hidden, also inside the page',
    request: { page: '/fidelity/scrollbars', ...WINDOW },
    isSteady: true,
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: 300, boxes: [SCROLLED] });
    },
  },
  {
    id: 'steady.text',
    title: 'Text is smoothed in grey, without subpixel colours',
    request: { page: '/fidelity/text', ...WINDOW },
    isSteady: true,
    check: async (answer) => {
      const { rgba } = await readCapture(answer);
      const coloured = rgba.filter(
        (value, index) => index % 4 === 0 && (value !== rgba[index + 1] || value !== rgba[index + 2]),
      );
      equal(coloured.length, 0, 'pixels that are not grey');
      ok(
        rgba.some((value, index) => index % 4 === 0 && value > 30 && value < 220),
        'no text at all',
      );
    },
  },
  {
    id: 'steady.where-and-when',
    title: 'Time zone and language are the same for every capture',
    request: { page: '/fidelity/where-and-when', format: 'html' },
    isSteady: true,
    check: (answer) => {
      equal(seenBy(answer), 'UTC | en-US | 1/1/1970, 12:00:00 AM | 1,234.5 | 0');
    },
  },
  {
    id: 'steady.elsewhere',
    title: 'Time zone and language follow the request',
    request: { page: '/fidelity/where-and-when', format: 'html', timezone: 'Asia/Tokyo', locale: 'de-DE' },
    isSteady: true,
    check: (answer) => {
      equal(seenBy(answer), 'Asia/Tokyo | de-DE | 1.1.1970, 09:00:00 | 1.234,5 | -540');
    },
  },
  {
    id: 'steady.still-moving',
    title: 'disable_animations: false leaves an animation running',
    request: { page: '/fidelity/animation-finite', ...WINDOW, disable_animations: false },
    check: async (answer) => {
      const picture = await readCapture(answer);
      const [red, green] = picture.pixel(STILL_BOX.x + 80, STILL_BOX.y + 80);
      deepEqual([red > 200, green < 60], [true, true], 'near its start, which is red');
    },
  },
];
