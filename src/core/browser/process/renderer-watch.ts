import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Logger } from '../../ground/log.ts';
import type { MemoryLimit } from './available-memory.ts';
import type { LaunchedBrowser } from './launch.ts';
import { createProcessTable, ownHeldBytes, type RendererProcess, uptimeMs } from './process-table.ts';
import { errorCode } from '../../ground/errors.ts';

const LOOK_AFTER_MS = 200; // minimum age of a capture to check: most captures are shorter
/**
 * Niceness of a renderer by the processor time that it has used. A busy page gets less processor time than other pages,
 * but at least a tenth. A niceness of 19 gave it a hundredth, and the page did not answer in time.
 */
const NICE_BY_CPU_MS = [
  [1_000, 10],
  [500, 5],
] as const;
const RENDERER_SHARE = 0.25; // maximum share of the available memory for one page
// a printed table of 430 pages and four columns takes 3.8 GB, 45 KB a cell (Chromium 153, 2026-11-22)
const RENDERER_MAX_BYTES = 4 * 1024 ** 3;
const TOTAL_SHARE = 0.85; // maximum share for service and browser together: at 1 the kernel kills the whole container
const OUTSIDE_SHARE = 0.5; // maximum share outside of renderers: above it, killing renderers would not help
const STRAY_AGE_MS = 500; // a renderer may outlive its page by this while it closes
const STRAY_CPU_SHARE = 0.5; // share of a processor between two checks: an idle renderer without a page uses none

/**
 * Times at which the oldest open page was opened, and was first used by a capture, on the clock of `performance.now()`.
 * Undefined if there is no such page.
 */
export interface OpenPages {
  readonly oldestOpenedAt: () => number | undefined;
  /** Ignores prepared pages that no capture uses yet. */
  readonly oldestTakenAt: () => number | undefined;
}

export interface RendererWatchOptions {
  readonly browser: LaunchedBrowser;
  readonly memory: MemoryLimit;
  readonly pages: OpenPages;
  readonly log: Logger;
}

/**
 * Returns a check to call regularly. It kills renderers that use too much memory or outlive their page, lowers the
 * priority of renderers that use much processor time, and kills the browser if memory is short outside of renderers.
 * `watch-processes.ts` names the places that find a page that hangs.
 */
export function createRendererWatch(options: RendererWatchOptions): () => void {
  const { browser, memory, pages, log } = options;
  const table = createProcessTable(browser.pid);
  const cpuBefore = new Map<number, number>();
  const niceOf = new Map<number, number>();
  const enoughBytes = memory.limitBytes * TOTAL_SHARE;
  let checkedAt = 0;
  let yields = false;

  const killRenderer = (renderer: RendererProcess, why: string): void => {
    log.warn({ pid: renderer.pid, residentBytes: renderer.residentBytes, why }, 'killing a renderer');
    killQuietly(renderer.pid);
  };

  const lowerPriority = ({ pid, cpuMs }: RendererProcess): void => {
    const nice = NICE_BY_CPU_MS.find(([least]) => cpuMs >= least)?.[1] ?? 0;
    if (nice <= (niceOf.get(pid) ?? 0)) return;
    niceOf.set(pid, nice);
    lowerProcess(pid, nice);
  };
  /**
   * Lowers the priority of the browser only while two renderers are busy. A lower one at all times cost 9 % of
   * throughput (2026-11-20).
   */
  const shareProcessors = (): void => {
    const shouldYield = niceOf.size > 1;
    if (shouldYield !== yields && setSessionYields(browser.pid, shouldYield)) yields = shouldYield;
  };

  /**
   * Memory of service and browser. Without a counter of the kernel, the exact sum is computed only if it may be too
   * much.
   */
  const usedBytes = (): number => {
    const counted = memory.usedBytes(enoughBytes);
    if (counted !== undefined) return counted;
    const atMost = table.residentBytes() + process.memoryUsage.rss();
    return atMost <= enoughBytes ? atMost : table.held().total + ownHeldBytes();
  };

  /** True if memory was short outside of renderers, and the browser was killed for it. */
  const killedBrowser = (biggest: RendererProcess | undefined, used: number): boolean => {
    const { outsideRenderers } = table.held();
    if (biggest !== undefined && outsideRenderers <= memory.limitBytes * OUTSIDE_SHARE) return false;
    // Blobs of a page, for example, are in the browser process, and their page is not known.
    log.error({ pid: browser.pid, used, outsideRenderers }, 'memory is short: killing the browser');
    browser.kill();
    return true;
  };

  const checkRenderers = (): void => {
    const renderers = table.renderers();
    const now = uptimeMs();
    const perPage = Math.min(RENDERER_MAX_BYTES, memory.limitBytes * RENDERER_SHARE);
    const biggest = renderers.toSorted((a, b) => b.residentBytes - a.residentBytes)[0];
    const used = usedBytes();
    const isShort = used > enoughBytes;
    if (isShort && killedBrowser(biggest, used)) return;
    const ownedSince = now - (performance.now() - (pages.oldestOpenedAt() ?? performance.now()));
    const strayCpuMs = (now - checkedAt) * STRAY_CPU_SHARE;

    for (const renderer of renderers) {
      const cpuMs = renderer.cpuMs - (cpuBefore.get(renderer.pid) ?? renderer.cpuMs);
      const isStray = renderer.startedAtMs < ownedSince - STRAY_AGE_MS && cpuMs > strayCpuMs;
      if (renderer.residentBytes > perPage) killRenderer(renderer, 'too much memory');
      else if (isStray) killRenderer(renderer, 'it is still running after its page was closed');
      else if (renderer === biggest && isShort) killRenderer(renderer, 'memory is short');
      else lowerPriority(renderer);
    }
    checkedAt = now;
    cpuBefore.clear();
    for (const { pid, cpuMs } of renderers) cpuBefore.set(pid, cpuMs);
    for (const pid of niceOf.keys()) if (!cpuBefore.has(pid)) niceOf.delete(pid);
    shareProcessors();
  };

  return () => {
    // Skips reading the process table, which costs time, while no capture has run for long: nothing can be wrong then.
    const runsLong = performance.now() - (pages.oldestTakenAt() ?? Infinity) > LOOK_AFTER_MS;
    if (runsLong || niceOf.size > 0 || yields) checkRenderers();
  };
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ESRCH: the process has ended already
  }
}

/**
 * Niceness of a browser with busy pages: it gets half as much processor time as the service. A niceness of 10 gives it
 * a tenth. Beside two other busy programs, a page of one line then took 9 s instead of 0.1 s (2 cores, 2026-11-23).
 */
const YIELDING_NICE = 3;

/**
 * Sets the priority of the whole browser: lower than the service if it yields, otherwise the same. Outside containers,
 * Linux shares processors among sessions, and the browser has its own. Returns false if the kernel refuses the change
 * for now: it allows one change every 100 ms to programs without privileges.
 */
function setSessionYields(leader: number, yields: boolean): boolean {
  try {
    writeFileSync(`/proc/${leader}/autogroup`, yields ? `${YIELDING_NICE}` : '0', { flag: 'r+' });
  } catch (error) {
    return errorCode(error) !== 'EAGAIN'; // otherwise this kernel has no such groups, or the browser has ended
  }
  return true;
}

/**
 * Lowers the priority of a process within its session. Linux has a priority for each thread; new threads inherit it.
 * @param nice 1 to 19
 */
function lowerProcess(pid: number, nice: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), nice);
  } catch {
    // ENOENT, ESRCH: the process has ended, or this system is not Linux
  }
}
