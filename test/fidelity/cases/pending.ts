import { expectScenery } from '../expect.ts';
import type { FidelityCase } from '../fidelity-case.ts';
import { READY_BOX } from '../pages/readiness.ts';

const CASES = [
  ['service-worker-ready', 'The capture waits until a service worker is active'],
  ['service-worker-message', 'The page shows the first message of a controlling service worker'],
  ['blob-worker', 'The page shows the result of a worker made from a blob'],
  ['blob-worker-fetch', 'The page shows data that a worker made from a blob fetches'],
  ['blob-worker-late', 'The page shows a message that a worker, started by a timer, posts after 300 ms'],
  ['polled-job', 'A page that polls one address five times shows its result'],
  ['timer-chain', 'The capture waits for a chain of five timers and requests'],
  ['first-event', 'The page shows the effect of the first message of an EventSource'],
  ['first-frame', 'The page shows the effect of the first message of a WebSocket'],
] as const;

/** Pending work for which the page has no request in flight. */
export const PENDING_CASES: readonly FidelityCase[] = CASES.map(([name, title]) => ({
  id: `readiness.${name}`,
  title,
  request: { page: `/fidelity/${name}`, window_width: 600, window_height: 240 },
  check: async (answer) => {
    await expectScenery(answer, { width: 600, height: 240, boxes: [READY_BOX] });
  },
}));
