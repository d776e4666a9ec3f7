import { readdirSync, readFileSync } from 'node:fs';

const MS_PER_TICK = 10; // /proc counts in hundredths of a second on every Linux

/** Every process of the machine, as Linux shows it; none where there is no /proc. */
export function readProcesses() {
  return listNumbers().flatMap((name) => {
    const text = readText(`/proc/${name}/stat`);
    if (text === undefined) return [];
    // The program's name, in brackets, may hold anything: what follows the last bracket has no spaces in it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const times = fields.slice(11, 15).map(Number); // own user and system time, then those of waited-for children
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

/** Its arguments; empty when it has gone. */
export function commandOf(pid) {
  return readText(`/proc/${pid}/cmdline`) ?? '';
}

function listNumbers() {
  return process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
}

/** Undefined when the process has ended meanwhile. */
function readText(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
