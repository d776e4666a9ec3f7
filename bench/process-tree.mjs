import { readFile } from 'node:fs/promises';
import { readProcesses } from './processes.mjs';

/** Returns the resources of a process and its descendants. Undefined without /proc. */
export function createProcessTree(rootPid) {
  if (process.platform !== 'linux') return undefined;
  return {
    /**
     * Milliseconds of processor time since the start, including ended descendants, which are counted by the process
     * that waited for them.
     */
    cpuMs: async () => readTree(rootPid).reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    /** RSS counts shared pages fully for each process, PSS by their share. */
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
  // The list grows during the loop: each process adds its children.
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** Returns kibibytes, or NaN for a process of another user, so that no sum is too small. */
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
