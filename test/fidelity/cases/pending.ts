import { expectScenery } from '../expect.ts';
import type { FidelityCase } from '../fidelity-case.ts';
import { READY_BOX } from '../pages/readiness.ts';

const CASES = [
  ['service-worker-ready', 'A service worker is waited for until it is active'],
  ['service-worker-message', 'The first answer of a service worker that has taken control is there'],
  ['blob-worker', 'The result of a worker made from a blob is there'],
  ['blob-worker-fetch', 'What a worker made from a blob fetches is there'],
  ['blob-worker-late', 'What a worker that a timer started posts after 300 ms is there'],
  ['polled-job', 'A job that is polled at one address five times is done'],
  ['timer-chain', 'A chain of five timers and requests is followed to its end'],
  ['first-event', 'What follows from the first message of an EventSource is there'],
  ['first-frame', 'What follows from the first message of a WebSocket is there'],
] as const;

/** Work that goes on where the page has no request of its own in flight. */
export const PENDING_CASES: readonly FidelityCase[] = CASES.map(([name, title]) => ({
  id: `readiness.${name}`,
  title,
  request: { page: `/fidelity/${name}`, window_width: 600, window_height: 240 },
  check: async (answer) => {
    await expectScenery(answer, { width: 600, height: 240, boxes: [READY_BOX] });
  },
}));
