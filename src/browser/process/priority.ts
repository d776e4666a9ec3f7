import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Against 0, our own: a tenth of our weight. It is felt only where both want the same processor. */
const BROWSER_SESSION_NICE = 10;

/**
 * Lets the browser yield to us as a whole. Outside containers Linux shares the processors among sessions, the browser has one of
 * its own, and with many busy pages in it this process was seen to wait for seconds (Linux 6.18, 2026-11-20): all captures
 * stop then, however fast their pages are. Does nothing where there are no such groups.
 */
export function lowerSession(leader: number): void {
  quietly(() => {
    writeFileSync(`/proc/${leader}/autogroup`, `${BROWSER_SESSION_NICE}`, { flag: 'r+' });
  });
}

/**
 * Lets a process yield to others of its session: the kernel has a priority for each thread, and those that are started later have
 * that of the one that starts them. @param nice 1 to 19
 */
export function lowerProcess(pid: number, nice: number): void {
  quietly(() => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), nice);
  });
}

/** It may be gone by now, which is as good; on other systems than Linux there is nothing to write. */
function quietly(lower: () => void): void {
  try {
    lower();
  } catch {
    // ENOENT, ESRCH
  }
}
