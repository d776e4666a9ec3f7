import type { Logger } from '../../log.ts';
import { withTimeout } from '../../timeouts.ts';
import type { LaunchedBrowser } from './launch.ts';
import type { MemoryLimit } from './available-memory.ts';
import { lowerProcess, lowerSession } from './priority.ts';
import {
  cpuMsOf,
  createProcessTable,
  ownHeldBytes,
  type RendererProcess,
  uptimeMs,
} from './process-table.ts';

const ROUND_MS = 100;
const LOOK_AFTER_MS = 200; // most captures are done by then
const ANSWER_ROUND_MS = 500;
const ANSWER_LIMIT_MS = 1_000;
const MISSED_ANSWERS = 3; // with the round and the limit: noticed in five seconds
// Requests queue up meanwhile: one that stands still is not waited for as long. A busy one, or one that waits for a processor, gets
// some of it in a second.
const MISSED_STANDING_STILL = 2;
/** A page that has used so much processor time gets less of it while others want it, and never nothing: it may be an honest one. */
const NICE_BY_CPU_MS = [
  [2_000, 19],
  [1_000, 10],
  [500, 5],
] as const;
const RENDERER_SHARE = 0.25; // of the memory there is, for one page
const RENDERER_MAX_BYTES = 4 * 1024 ** 3; // a printed table of 430 pages and four columns takes 3.8 GB, 45 KB a cell (Chromium 153, 2026-11-22)
const TOTAL_SHARE = 0.85; // of the memory there is, for all that we and the browser hold: the kernel would kill the whole container at 1
const OUTSIDE_SHARE = 0.5; // of it, for what is in no renderer: beyond, no end of a page would help
const STRAY_AGE_MS = 500; // a renderer may outlive its page by that: it is being closed
const STRAY_CPU_SHARE = 0.5; // of a processor between two looks: an idle spare renderer uses none

/** The pages that a browser has open, on `performance.now()`'s clock; undefined when there are none such. */
export interface OpenPages {
  readonly oldestOpenedAt: () => number | undefined;
  /** Pages made ahead and not taken yet do not count. */
  readonly oldestTakenAt: () => number | undefined;
}

interface WatchdogOptions {
  readonly browser: LaunchedBrowser;
  readonly memory: MemoryLimit;
  readonly pages: OpenPages;
  /** Called before a browser is killed because it does not answer. */
  readonly onUnresponsive: () => void;
  readonly log: Logger;
}

/**
 * Looks after a browser until it is gone: kills it when it does not answer, can start no more pages or takes too much memory, and renderers that outgrow
 * their memory or outlive their page; lets those that have used much processor time wait for the others.
 */
export function watchBrowser(options: WatchdogOptions): void {
  const { browser, memory, pages, onUnresponsive, log } = options;
  const table = createProcessTable(browser.pid);
  const cpuBefore = new Map<number, number>();
  const niceOf = new Map<number, number>();
  const enoughBytes = memory.limitBytes * TOTAL_SHARE;
  let lookedAt = 0;
  let missed = 0;
  let stoodStill = 0;

  const checkAnswer = async (): Promise<void> => {
    if (browser.hasLostPageStarters()) {
      log.error({ pid: browser.pid }, 'the browser can start no more pages: killing it');
      browser.kill();
      return;
    }
    const before = cpuMsOf(browser.pid);
    try {
      const answer = browser.connection.send('Browser.getVersion');
      await withTimeout(answer, ANSWER_LIMIT_MS, () => new Error('no answer'));
      missed = 0;
      stoodStill = 0;
    } catch {
      missed++;
      stoodStill = before !== undefined && cpuMsOf(browser.pid) === before ? stoodStill + 1 : 0;
      const isLost = missed >= MISSED_ANSWERS || stoodStill >= MISSED_STANDING_STILL;
      if (!isLost || browser.gone.aborted) return;
      log.error({ pid: browser.pid }, 'the browser does not answer: killing it');
      onUnresponsive();
      browser.kill();
    }
  };

  const killRenderer = (renderer: RendererProcess, why: string): void => {
    log.warn({ pid: renderer.pid, residentBytes: renderer.residentBytes, why }, 'killing a renderer');
    quietly(() => process.kill(renderer.pid, 'SIGKILL'));
  };

  const slowDown = ({ pid, cpuMs }: RendererProcess): void => {
    const nice = NICE_BY_CPU_MS.find(([least]) => cpuMs >= least)?.[1] ?? 0;
    if (nice <= (niceOf.get(pid) ?? 0)) return;
    niceOf.set(pid, nice);
    lowerProcess(pid, nice);
    // For as long as this browser lasts, as the way back is not open to everyone; and only beside such pages, since without them it
    // costs 9 % of the captures a second (2026-11-20).
    if (niceOf.size > 1) lowerSession(browser.pid);
  };

  /** As the kernel counts or, where it does not count for us alone, as we do: exactly only where it may be too much. */
  const usedBytes = (): number => {
    const counted = memory.usedBytes(enoughBytes);
    if (counted !== undefined) return counted;
    const atMost = table.residentBytes() + process.memoryUsage.rss();
    return atMost <= enoughBytes ? atMost : table.held().total + ownHeldBytes();
  };

  const checkRenderers = (): void => {
    const renderers = table.renderers();
    const now = uptimeMs();
    const perPage = Math.min(RENDERER_MAX_BYTES, memory.limitBytes * RENDERER_SHARE);
    const biggest = renderers.toSorted((a, b) => b.residentBytes - a.residentBytes)[0];
    const used = usedBytes();
    const isShort = used > enoughBytes;
    const outsideRenderers = isShort ? table.held().outsideRenderers : 0;
    if (isShort && (biggest === undefined || outsideRenderers > memory.limitBytes * OUTSIDE_SHARE)) {
      // Blobs of a page, for example, are in the browser's own process, and nothing tells whose they are.
      log.error({ pid: browser.pid, used, outsideRenderers }, 'memory is short: killing the browser');
      browser.kill();
      return;
    }
    const ownedSince = now - (performance.now() - (pages.oldestOpenedAt() ?? performance.now()));
    const strayCpuMs = (now - lookedAt) * STRAY_CPU_SHARE;

    for (const renderer of renderers) {
      const used = renderer.cpuMs - (cpuBefore.get(renderer.pid) ?? renderer.cpuMs);
      const isStray = renderer.startedAtMs < ownedSince - STRAY_AGE_MS && used > strayCpuMs;
      if (renderer.residentBytes > perPage) killRenderer(renderer, 'too much memory');
      else if (isStray) killRenderer(renderer, 'its page is closed and it runs on');
      else if (renderer === biggest && isShort) killRenderer(renderer, 'memory is short');
      else slowDown(renderer);
    }
    lookedAt = now;
    cpuBefore.clear();
    for (const { pid, cpuMs } of renderers) cpuBefore.set(pid, cpuMs);
    for (const pid of niceOf.keys()) if (!cpuBefore.has(pid)) niceOf.delete(pid);
  };

  /** Reading the process table is not free: while no capture has run for long, nothing can have gone wrong. */
  const isWorthALook = (): boolean =>
    performance.now() - (pages.oldestTakenAt() ?? Infinity) > LOOK_AFTER_MS || niceOf.size > 0;

  const every = async (ms: number, round: () => Promise<void> | void): Promise<void> => {
    for (;;) {
      await new Promise((resolve) => {
        setTimeout(resolve, ms).unref();
      });
      if (browser.gone.aborted) return;
      await round();
    }
  };
  Promise.all([
    every(ANSWER_ROUND_MS, checkAnswer),
    every(ROUND_MS, () => {
      if (isWorthALook()) checkRenderers();
    }),
  ]).catch((error: unknown) => {
    log.error({ err: error }, 'the watch over the browser has ended');
  });
}

/** The process may be gone by now, which is as good. */
function quietly(send: () => void): void {
  try {
    send();
  } catch {
    // ESRCH
  }
}
