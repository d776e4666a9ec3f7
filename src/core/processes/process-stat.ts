import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const TICK_MS = 10; // USER_HZ is 100 on every Linux that Node runs on

/** State of a process, from proc(5) stat. */
export interface ProcessStat {
  /** False for a zombie: it has ended, but its parent has not asked for its exit code. */
  readonly isRunning: boolean;
  readonly parent: number;
  readonly group: number;
  /** Processor time since its start, in milliseconds. */
  readonly cpuMs: number;
  /** Clock ticks from the start of the machine to the start of the process. Clock changes don't affect it. */
  readonly startTicks: number;
  /** Start time in milliseconds since the machine was booted. */
  readonly startedAtMs: number;
  readonly residentBytes: number;
}

/** Reads proc(5) stat of a process. Undefined if the process has ended, or if this system has no /proc. */
export function readStat(pid: number | string): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** True if the process runs. False for zombies, and on systems without /proc. */
export function isRunning(pid: number): boolean {
  return readStat(pid)?.isRunning === true;
}

/** Parses proc(5) stat. Starts at the state, because the name before it may contain spaces and brackets. */
function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const numberAt = (index: number): number => Number(fields[index] ?? 0);
  const startTicks = numberAt(19);
  return {
    isRunning: !['Z', 'X'].includes(fields[0] ?? ''),
    parent: numberAt(1),
    group: numberAt(2),
    cpuMs: (numberAt(11) + numberAt(12)) * TICK_MS,
    startTicks,
    startedAtMs: startTicks * TICK_MS,
    residentBytes: numberAt(21) * PAGE_BYTES,
  };
}
