import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Against our own niceness of 0, this gives the browser a tenth of our weight. It only matters when both compete for the same processor.
 */
const BROWSER_SESSION_NICE = 10;

/**
 * Lowers the priority of the whole browser below that of the service. Outside containers, Linux shares processors among sessions, and the
 * browser has its own: with many busy pages, the service waited for seconds (Linux 6.18, 2026-11-20). Does nothing where the kernel has
 * no such groups.
 */
export function lowerSession(leader: number): void {
  quietly(() => {
    writeFileSync(`/proc/${leader}/autogroup`, `${BROWSER_SESSION_NICE}`, { flag: 'r+' });
  });
}

/**
 * Lowers the priority of a process within its session. Linux has a priority for each thread; new threads inherit it.
 * @param nice 1 to 19
 */
export function lowerProcess(pid: number, nice: number): void {
  quietly(() => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), nice);
  });
}

/** Ignores processes that have ended, and systems other than Linux. */
function quietly(lower: () => void): void {
  try {
    lower();
  } catch {
    // ENOENT, ESRCH
  }
}
