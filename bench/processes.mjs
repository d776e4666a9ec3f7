import { readdirSync, readFileSync } from 'node:fs';

const MS_PER_TICK = 10; // /proc counts hundredths of a second on every Linux

/** Returns every process of the machine from /proc, or none without /proc. */
export function readProcesses() {
  return listNumbers().flatMap((name) => {
    const text = readText(`/proc/${name}/stat`);
    if (text === undefined) return [];
    // The program's name in brackets may contain any text. The fields after the last bracket contain no spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const times = fields.slice(11, 15).map(Number); // user and system time of the process, then of its ended children
    return [
      {
        pid: Number(name),
        isZombie: fields[0] === 'Z',
        parent: Number(fields[1]),
        group: Number(fields[2]),
        cpuMs: times.reduce((sum, time) => sum + time) * MS_PER_TICK,
      },
    ];
  });
}

/** Returns the arguments of a process. Empty if it has ended. */
export function commandOf(pid) {
  return readText(`/proc/${pid}/cmdline`) ?? '';
}

function listNumbers() {
  return process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
}

/** Undefined if the process has ended. */
function readText(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
