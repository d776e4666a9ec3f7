import { describe, expect, it } from 'vitest';
import { capture } from '../support/http.ts';
import { openFilesOf, processGroup } from '../support/processes.ts';
import { documentOf, type HostileCase, redirectTo, scriptPage } from './hostile-case.ts';
import { findCalm, settle } from './run-case.ts';
import { createWorld } from './world.ts';

/** HOSTILE_SOAK=1000 for the long run. */
const CAPTURES = Number(process.env['HOSTILE_SOAK'] ?? 40);
const CLIENTS = 4;
const WAIT_MS = 400;
const FILES_TOLERANCE = 8;
const PROCESSES_TOLERANCE = 2;
const TIMERS_TOLERANCE = 10; // keep-alive connections of clients use some timers
// no garbage collection on demand; a leak of one page per capture would exceed it
const HEAP_TOLERANCE_BYTES = 60_000_000;

const SOAK: HostileCase = {
  id: 'soak',
  title: 'hostile pages, again and again',
  pages: ({ canary }) => ({
    endless: scriptPage('while (true);'),
    'endless-later': scriptPage('onload = () => setTimeout(() => { while (true); }, 50);'),
    silent: () => {},
    popups: scriptPage("for (let n = 0; n < 100; n++) open('about:blank', 'w' + n);"),
    dialogs: scriptPage('for (let n = 0; n < 50; n++) alert(n);'),
    closes: scriptPage('close();'),
    workers: scriptPage("for (let n = 0; n < 20; n++) new Worker(URL.createObjectURL(new Blob(['while (true);'])));"),
    frames: documentOf('<iframe srcdoc="<script>while(1);</script>" sandbox="allow-scripts"></iframe>'.repeat(5)),
    private: redirectTo(canary),
    blocked: documentOf(`<img src="${canary}">`.repeat(50)),
    empty: (_request, response) => response.writeHead(204).end(),
    broken: ({ socket }) => socket.destroy(),
    stuck: scriptPage("fetch('silent'); new EventSource('silent');"),
  }),
};

describe('a service under attack', () => {
  it(
    `returns to its initial resource counts after ${CAPTURES} hostile captures`,
    { timeout: 60_000 + CAPTURES * 2_500 },
    async () => {
      await using world = await createWorld({ POOL_SIZE: `${CLIENTS}` });
      await findCalm(world);
      const scene = world.stage(SOAK);
      const paths = Object.keys(SOAK.pages?.(scene) ?? {});
      const statuses: number[] = [];
      let next = 0;
      const attack = async (until: number): Promise<void> => {
        while (next < until) {
          const path = paths[next++ % paths.length];
          const answer = await capture(scene.service, {
            url: `${scene.site}${path}`,
            wait_for_timeout: WAIT_MS,
          });
          statuses.push(answer.status);
        }
      };
      const attackAll = (until: number): Promise<unknown> =>
        Promise.all(Array.from({ length: CLIENTS }, () => attack(until)));
      await attackAll(paths.length); // creates everything that is kept afterwards
      await settle(world);
      const before = measure(world.service.browserPid());

      await attackAll(paths.length + CAPTURES);

      await settle(world);
      const after = measure(world.service.browserPid());
      expect(statuses.filter((status) => ![200, 400, 500].includes(status))).toEqual([]);
      expect(after.files).toBeLessThanOrEqual(before.files + FILES_TOLERANCE);
      expect(after.processes).toBeLessThanOrEqual(before.processes + PROCESSES_TOLERANCE);
      expect(after.timers).toBeLessThanOrEqual(before.timers + TIMERS_TOLERANCE);
      expect(after.heapBytes).toBeLessThanOrEqual(before.heapBytes + HEAP_TOLERANCE_BYTES);
      expect(world.canaries.disturbances()).toEqual([]);
      expect(world.rejections).toEqual([]);
      await findCalm(world); // two normal captures
    },
  );
});

function measure(browserPid: number) {
  return {
    files: openFilesOf(process.pid),
    processes: processGroup(browserPid).length,
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    heapBytes: process.memoryUsage().heapUsed,
  };
}
