import { readdir, readFile } from 'node:fs/promises';

const MS_PER_TICK = 10; // /proc counts in hundredths of a second on every Linux

/** What a process and everything below it use; undefined where there is no /proc. */
export function createProcessTree(rootPid) {
  if (process.platform !== 'linux') return undefined;
  return {
    /**
     * Milliseconds of processor time since the start, those of descendants that have ended included: each is counted
     * by the one that waited for it. Grows by what the tree does.
     */
    cpuMs: async () => {
      const processes = await readTree(rootPid);
      return processes.reduce((sum, { ticks }) => sum + ticks, 0) * MS_PER_TICK;
    },
    /** Shared pages count in full for each process in RSS, and by their share in PSS. */
    memory: async () => {
      const processes = await readTree(rootPid);
      const sizes = await Promise.all(processes.map(({ pid }) => readMemory(pid)));
      return {
        processes: processes.length,
        pssMegabytes: sumOf(sizes, 'pss') / 1024,
        rssMegabytes: sumOf(sizes, 'rss') / 1024,
      };
    },
  };
}

async function readTree(rootPid) {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(names.map(readProcess))).filter((found) => found !== undefined);
  const tree = all.filter(({ pid }) => pid === rootPid);
  // Grows while it is walked: each process brings its children.
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** Undefined when it has ended meanwhile. */
async function readProcess(name) {
  try {
    const text = await readFile(`/proc/${name}/stat`, 'utf8');
    // The program's name, in brackets, may hold anything: what follows the last bracket is numbers.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const times = fields.slice(11, 15).map(Number); // own user and system time, then those of waited-for children
    return { pid: Number(name), parent: Number(fields[1]), ticks: times.reduce((sum, time) => sum + time) };
  } catch {
    return undefined;
  }
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
