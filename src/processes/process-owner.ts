import { readFileSync } from 'node:fs';
import { errorCode } from '../errors.ts';

const TAG = /^(\d+)(?:-(\d+))?-/;

/**
 * Returns the prefix for the name of a temporary folder: our process id and, with /proc, our start time, because process ids are reused.
 * With it, a later start can check whether the owner still runs.
 */
export function ownerTag(): string {
  const startedAt = startTicksOf(process.pid);
  return startedAt === undefined ? `${process.pid}-` : `${process.pid}-${startedAt}-`;
}

/**
 * True if the owner of a name with an `ownerTag` has ended. Our own process id without our start time belongs to an earlier run, as in
 * containers, where ids repeat.
 */
export function hasOwnerEnded(name: string): boolean {
  const [, pid = '', startedAt] = TAG.exec(name) ?? [];
  if (name.startsWith(ownerTag()) && startedAt !== undefined) return false;
  if (pid === '' || Number(pid) === process.pid || !isRunning(Number(pid))) return true;
  const ticks = startTicksOf(Number(pid));
  return startedAt !== undefined && ticks !== undefined && ticks !== startedAt;
}

/** Field 22 of proc(5) stat: clock ticks from the start of the machine to the start of the process. Clock changes don't affect it. */
function startTicksOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined; // the process has ended, or this system has no /proc
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, as another user.
    return errorCode(error) === 'EPERM';
  }
}
