import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorCode } from '../ground/errors.ts';
import { readStat } from './process-stat.ts';

const TAG = /^([\da-f]{12})_(\d+)-(\d*)-/;

let machine: string | undefined;

/**
 * Returns the prefix for the name of a temporary file or folder: our machine, process id and, with /proc, our start
 * time, because process ids are reused. With it, a later process can check whether the owner still runs.
 */
export function ownerTag(): string {
  return `${machineId()}_${process.pid}-${readStat(process.pid)?.startTicks ?? ''}-`;
}

/**
 * True if the owner of a file or folder has ended.
 * @param tag name of the file or folder, from its `ownerTag` on
 * @param idleMs time without a change after which an owner counts as ended that can't be seen from here: on another
 * machine, in another container, or from before a restart
 * @throws Error of the system if such a file or folder cannot be read
 */
export async function isAbandoned(path: string, tag: string, idleMs: number, nowMs = Date.now()): Promise<boolean> {
  const [, owner, pid, startedAt = ''] = TAG.exec(tag) ?? [];
  if (owner === machineId()) return hasEnded(Number(pid), startedAt === '' ? undefined : Number(startedAt));
  try {
    return (await stat(path)).mtimeMs < nowMs - idleMs;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false; // another process has removed it
    throw error;
  }
}

/** A tag with our process id but without our start time is from an earlier run, as in containers, where ids repeat. */
function hasEnded(pid: number, startTicks: number | undefined): boolean {
  const found = readStat(pid);
  const isSame = startTicks === undefined || found === undefined || found.startTicks === startTicks;
  if (pid === process.pid) return startTicks === undefined || !isSame;
  return !exists(pid) || found?.isRunning === false || !isSame;
}

/** True for zombies too. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, as another user.
    return errorCode(error) === 'EPERM';
  }
}

/** Returns an id of the boot and the PID namespace. Processes with the same id see the same process ids. */
function machineId(): string {
  machine ??= createHash('sha256').update(describeMachine()).digest('hex').slice(0, 12);
  return machine;
}

function describeMachine(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname(); // this system has no /proc
  }
}
