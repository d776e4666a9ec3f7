import { readFileSync } from 'node:fs';

const TAG = /^(\d+)(?:-(\d+))?-/;

/**
 * Returns what the name of a temporary folder starts with, so that a later start can check whether its owner still runs: our process id,
 * and where there is a /proc the time of our start, as process ids are given out again.
 */
export function ownerTag(): string {
  const startedAt = startTicksOf(process.pid);
  return startedAt === undefined ? `${process.pid}-` : `${process.pid}-${startedAt}-`;
}

/**
 * True when the process that a name with an `ownerTag` belongs to has ended. Our own id without our start time is that of an earlier run,
 * as in containers, where ids repeat.
 */
export function hasOwnerEnded(name: string): boolean {
  const [, pid = '', startedAt] = TAG.exec(name) ?? [];
  if (name.startsWith(ownerTag()) && startedAt !== undefined) return false;
  if (pid === '' || Number(pid) === process.pid || !isRunning(Number(pid))) return true;
  const ticks = startTicksOf(Number(pid));
  return startedAt !== undefined && ticks !== undefined && ticks !== startedAt;
}

/** Field 22 of proc(5) stat: clock ticks from the start of the machine to the start of the process. No change of the clock moves it. */
function startTicksOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined; // it has ended, or this system has no /proc
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
