import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { errorCode } from '../../errors.ts';

/**
 * Niceness of a browser with busy pages: it gets half as much processor time as the service. A niceness of 10 gives it a tenth. Beside two
 * other busy programs, a page of one line then took 9 s instead of 0.1 s (2 cores, 2026-11-23).
 */
const YIELDING_NICE = 3;

/**
 * Sets the priority of the whole browser: lower than the service if it yields, otherwise the same. Outside containers, Linux shares
 * processors among sessions, and the browser has its own. Returns false if the kernel refuses the change for now: it allows one change
 * every 100 ms to programs without privileges.
 */
export function setSessionYields(leader: number, yields: boolean): boolean {
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
export function lowerProcess(pid: number, nice: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), nice);
  } catch {
    // ENOENT, ESRCH: the process has ended, or this system is not Linux
  }
}
