import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { errorCode } from '../../errors.ts';

/**
 * Niceness of a browser with busy pages: half the weight of the service. With 10, a tenth, one or two busy programs beside the service
 * took nearly all of the browser's share: a page of one line needed 9 s instead of 0.1 s (2 cores, 2026-11-23).
 */
const YIELDING_NICE = 3;

/**
 * Sets the priority of the whole browser: half the weight of the service if it yields, otherwise the same. Outside containers, Linux
 * shares processors among sessions, and the browser has its own. Returns false if the kernel allows no change at the moment: any program
 * without privileges makes one every 100 ms.
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
