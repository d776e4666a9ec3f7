import { readFile } from 'node:fs/promises';
import { readProcesses } from './processes.mjs';

/** What a process and everything below it use; undefined where there is no /proc. */
export function createProcessTree(rootPid) {
  if (process.platform !== 'linux') return undefined;
  return {
    /**
     * Milliseconds of processor time since the start, those of descendants that have ended included: each is counted
     * by the one that waited for it. Grows by what the tree does.
     */
    cpuMs: async () => readTree(rootPid).reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    /** Shared pages count in full for each process in RSS, and by their share in PSS. */
    memory: async () => {
      const processes = readTree(rootPid);
      const sizes = await Promise.all(processes.map(({ pid }) => readMemory(pid)));
      return {
        processes: processes.length,
        pssMegabytes: sumOf(sizes, 'pss') / 1024,
        rssMegabytes: sumOf(sizes, 'rss') / 1024,
      };
    },
  };
}

function readTree(rootPid) {
  const all = readProcesses();
  const tree = all.filter(({ pid }) => pid === rootPid);
  // Grows while it is walked: each process brings its children.
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** In kibibytes; NaN for another user's process, whose sum must not look like less than it is. */
async function readMemory(pid) {
  try {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
    const read = (field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
    return { pss: read('Pss'), rss: read('Rss') };
  } catch (error) {
    return error.code === 'EACCES' || error.code === 'EPERM' ? { pss: NaN, rss: NaN } : { pss: 0, rss: 0 };
  }
}

function sumOf(sizes, field) {
  return sizes.reduce((sum, size) => sum + size[field], 0);
}
