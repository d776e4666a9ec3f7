import { ok } from 'node:assert/strict';
import { COLOUR } from '../../support/colour.ts';
import { countedPath } from '../../support/pages/counted.ts';
import { FONTS_PAGE } from '../../support/pages/document.ts';
import { expectColour } from '../../support/pixels.ts';
import { expectCaptured, expectRefused, expectScenery, expectWarnings, readCapture } from '../expect.ts';
import type { FidelityCase, TimedAnswer } from '../fidelity-case.ts';
import { BUSY_FRAMES, LARGE_IMAGE, READY_BOX } from '../pages/readiness.ts';

const WINDOW = { window_width: 600, window_height: 240 } as const;
const IDLE_LIMIT_MS = 1_500;
/** Time limit for a page that is ready at once, for the whole request; the case runs alone. */
const SOON_MS = 1_000;
/** Time limit for requests in flight at `load` and those that follow (`drainRequests`). */
const PENDING_LIMIT_MS = 5_000;
const MARGIN_MS = 2_500;

const expectReady = async (answer: TimedAnswer): Promise<void> => {
  await expectScenery(answer, { width: 600, height: 240, boxes: [READY_BOX] });
};

const expectGreen = async (answer: TimedAnswer): Promise<void> => {
  const picture = await readCapture(answer);
  expectColour(picture, 300, 120, COLOUR.green);
};

const expectWithin = ({ elapsedMs, patience }: TimedAnswer, fromMs: number, toMs: number): void => {
  ok(elapsedMs >= fromMs && elapsedMs < toMs * patience, `took ${Math.round(elapsedMs)} ms, not ${fromMs} to ${toMs}`);
};

/** The moment of the capture. */
export const READINESS_CASES: readonly FidelityCase[] = [
  {
    id: 'readiness.never-quiet',
    title: 'A page with a WebSocket, an EventSource and a poll every 200 ms is captured in under a second',
    request: { page: '/fidelity/never-quiet', ...WINDOW },
    isAlone: true,
    check: async (answer) => {
      await expectReady(answer);
      expectWarnings(answer);
      expectWithin(answer, 0, SOON_MS);
    },
  },
  {
    id: 'readiness.idle-limit',
    title: 'With wait_for_network=idle, the same page is captured at the limit, with a warning',
    request: {
      page: '/fidelity/never-quiet',
      ...WINDOW,
      wait_for_network: 'idle',
      wait_for_timeout: IDLE_LIMIT_MS,
    },
    check: async (answer) => {
      await expectReady(answer);
      expectWarnings(answer, 'network_not_idle');
      expectWithin(answer, IDLE_LIMIT_MS, IDLE_LIMIT_MS + MARGIN_MS);
    },
  },
  ...['idle', 'mostly_idle'].map((level): FidelityCase => ({
    id: `readiness.open-channels-${level}`,
    title: `WebSocket, EventSource and beacons do not delay ${level}`,
    request: { page: '/fidelity/open-channels', ...WINDOW, wait_for_network: level },
    check: async (answer) => {
      await expectReady(answer);
      expectWarnings(answer);
      expectWithin(answer, 500, PENDING_LIMIT_MS);
    },
  })),
  {
    id: 'readiness.unread-fetch',
    title: 'A fetch with an unread body does not delay the capture',
    request: { page: '/fidelity/unread-fetch', ...WINDOW },
    isAlone: true,
    check: async (answer) => {
      await expectReady(answer);
      expectWarnings(answer);
      expectWithin(answer, 0, SOON_MS);
    },
  },
  {
    id: 'readiness.late-font',
    title: 'The page shows a web font that arrives 400 ms after load',
    request: { page: '/fonts', ...WINDOW },
    check: async (answer) => {
      const picture = await readCapture(answer);
      const { x, y, width, height, colour } = FONTS_PAGE.block;
      expectColour(picture, x + 1, y + 1, colour);
      expectColour(picture, x + width - 1, y + height - 1, colour);
    },
  },
  {
    id: 'readiness.large-image',
    title: 'A large picture with decoding=async is decoded',
    request: { page: '/fidelity/large-image', ...WINDOW },
    check: async (answer) => {
      await expectScenery(answer, {
        width: 600,
        height: 240,
        boxes: Object.values(LARGE_IMAGE),
        softEdge: 1,
      });
    },
  },
  ...(
    [
      ['late-image', 'The page shows a picture that a script adds at load'],
      ['late-background', 'The page shows a background picture that a script sets at load'],
      ['late-request', 'The page shows the result of an XMLHttpRequest in flight at load'],
      ['seen-lazy', 'The page shows a picture in view with loading=lazy'],
      ['seen-image', 'The page shows a picture that it adds when an element comes into view'],
      ['seen-background', 'The page shows a background picture that it sets when an element comes into view'],
    ] as const
  ).map(([name, title]): FidelityCase => ({
    id: `readiness.${name}`,
    title,
    request: { page: `/fidelity/${name}`, ...WINDOW },
    check: expectReady,
  })),
  {
    id: 'readiness.frames',
    title: 'Frames of the same site and of another site have loaded their content',
    request: { page: '/fidelity/busy-frames', ...WINDOW },
    check: async (answer) => {
      await expectScenery(answer, { width: 600, height: 240, boxes: Object.values(BUSY_FRAMES) });
    },
  },
  ...([60, 200, 300] as const).map((frames): FidelityCase => ({
    id: `readiness.counted-frames-${frames}`,
    title: `An animation that counts ${frames} frames is captured at its end`,
    request: { page: countedPath(frames), ...WINDOW },
    check: expectGreen,
  })),
  {
    id: 'readiness.counted-frames-of-another-site',
    title: 'An animation that counts its frames in a frame of another site is captured at its end',
    request: { page: '/counted/in/another-site', ...WINDOW },
    check: expectGreen,
  },
  ...['stalled-request', 'endless-answer'].map((name): FidelityCase => ({
    id: `readiness.${name}`,
    title:
      name === 'stalled-request'
        ? 'An unanswered request to another site does not block the capture and gives a warning'
        : 'An endless response does not block the capture and gives a warning',
    request: { page: `/fidelity/${name}`, ...WINDOW },
    check: async (answer) => {
      await expectReady(answer);
      expectWarnings(answer, 'requests_pending');
      expectWithin(answer, PENDING_LIMIT_MS, PENDING_LIMIT_MS + MARGIN_MS);
    },
  })),
  {
    id: 'readiness.stalled-lazy',
    title: 'An unanswered request during scrolling does not block the capture and gives a warning',
    request: { page: '/fidelity/stalled-lazy', ...WINDOW, full_page: true },
    check: async (answer) => {
      expectCaptured(answer);
      expectColour(await readCapture(answer), 100, 100, READY_BOX.colour);
      expectWarnings(answer, 'requests_pending');
    },
  },
  {
    id: 'readiness.stalled-asset',
    title: 'A picture that never arrives is given up at wait_for_timeout, with a warning',
    request: { page: '/fidelity/stalled-asset', ...WINDOW, wait_for_timeout: IDLE_LIMIT_MS },
    check: async (answer) => {
      await expectReady(answer);
      expectWarnings(answer, 'page_load_incomplete');
      expectWithin(answer, IDLE_LIMIT_MS, IDLE_LIMIT_MS + MARGIN_MS);
    },
  },
  {
    id: 'readiness.never-loaded-drip',
    title: 'A document that never ends is a TimeoutError at wait_for_timeout',
    request: { page: '/drip', ...WINDOW, wait_for_timeout: IDLE_LIMIT_MS },
    check: (answer) => {
      expectRefused(answer, 500, 'TimeoutError');
      expectWithin(answer, IDLE_LIMIT_MS, IDLE_LIMIT_MS + MARGIN_MS);
    },
  },
  {
    id: 'readiness.signal',
    title: "The capture waits for the page's own ready signal",
    request: {
      page: '/fidelity/ready-signal',
      ...WINDOW,
      full_page: true,
      wait_for_function: 'window.isReady',
    },
    check: async (answer) => {
      expectCaptured(answer);
      expectColour(await readCapture(answer), 100, 100, READY_BOX.colour);
    },
  },
];
