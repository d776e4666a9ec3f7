import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Control group hierarchies: their folder, their file names, and the line of /proc/self/cgroup that names our group.
 */
const HIERARCHIES = [
  {
    root: '/sys/fs/cgroup', // cgroup v2
    ours: /^0::(\/.*)$/m,
    limit: 'memory.max',
    usage: 'memory.current',
    files: /^(?:in)?active_file (\d+)$/gm,
  },
  {
    root: '/sys/fs/cgroup/memory', // cgroup v1
    ours: /^\d+:memory:(\/.*)$/m,
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    files: /^total_(?:in)?active_file (\d+)$/gm,
  },
];

/** Memory limit for the service and its browser. */
export interface MemoryLimit {
  /** The smallest limit of our control group and its parents, or the memory of the machine. */
  readonly limitBytes: number;
  /**
   * Bytes that count against the limit, measured by the kernel. Undefined if the limit is the memory of the machine.
   * Includes the page cache up to `enough`, because subtracting it costs more.
   */
  readonly usedBytes: (enough: number) => number | undefined;
}

export function findMemoryLimit(): MemoryLimit {
  const own = readText('/proc/self/cgroup');
  const groups = HIERARCHIES.flatMap(({ root, ours, limit, usage, files }) =>
    // In a container, the name of the group can be that of the host, where nothing is mounted. Then the root of the
    // hierarchy is the group of the container.
    foldersUp(ours.exec(own)?.[1] ?? '/').map((folder) => ({
      limitBytes: Number(readText(join(root, folder, limit))) || Infinity, // missing file, or the word "max"
      usedBytes: (enough: number) => {
        const all = Number(readText(join(root, folder, usage))) || undefined;
        if (all === undefined || all <= enough) return all;
        // The kernel frees the page cache when memory is short.
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

/** Returns an empty string if the file is missing. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
