import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the groups of processes are, the names of their files, and how a line of /proc/self/cgroup tells of ours. */
const HIERARCHIES = [
  {
    root: '/sys/fs/cgroup', // v2
    ours: /^0::(\/.*)$/m,
    limit: 'memory.max',
    usage: 'memory.current',
    files: /^(?:in)?active_file (\d+)$/gm,
  },
  {
    root: '/sys/fs/cgroup/memory', // v1
    ours: /^\d+:memory:(\/.*)$/m,
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    files: /^total_(?:in)?active_file (\d+)$/gm,
  },
];

/** What this service and its browser may use. */
export interface MemoryLimit {
  /** The smallest limit of our group of processes and of those around it, or the machine's memory. */
  readonly limitBytes: number;
  /**
   * What counts against it now, as the kernel counts; undefined where the limit is the machine's memory. Up to `enough`, pages of files
   * count, too: to leave them out costs more.
   */
  readonly usedBytes: (enough: number) => number | undefined;
}

export function findMemoryLimit(): MemoryLimit {
  const own = readText('/proc/self/cgroup');
  const groups = HIERARCHIES.flatMap(({ root, ours, limit, usage, files }) =>
    // Inside a container the group's own name may be that of the host, where nothing is: its root is the container's then.
    foldersUp(ours.exec(own)?.[1] ?? '/').map((folder) => ({
      limitBytes: Number(readText(join(root, folder, limit))) || Infinity, // no such file, or the word "max"
      usedBytes: (enough: number) => {
        const all = Number(readText(join(root, folder, usage))) || undefined;
        if (all === undefined || all <= enough) return all;
        // Pages of files are given back when memory is short.
        const cached = [...readText(join(root, folder, 'memory.stat')).matchAll(files)];
        return all - cached.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
      },
    })),
  );
  const machine: MemoryLimit = { limitBytes: totalmem(), usedBytes: () => undefined };
  return groups.reduce((least, group) => (group.limitBytes < least.limitBytes ? group : least), machine);
}

function foldersUp(folder: string): string[] {
  return folder === '/' ? ['/'] : [folder, ...foldersUp(dirname(folder))];
}

/** Empty where there is none. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
