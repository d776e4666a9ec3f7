import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

const CGROUP_FILES = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes']; // v2, v1

/** Bytes that this service and its browser may use: the container's limit, or the machine's memory. */
export function memoryLimitBytes(): number {
  const limits = CGROUP_FILES.map(readLimit).filter((limit) => limit > 0);
  return Math.min(totalmem(), ...limits);
}

/** 0 where there is none: no such file, or the word "max". */
function readLimit(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8')) || 0;
  } catch {
    return 0;
  }
}
