import { readdir, readFile } from 'node:fs/promises';

const PAGE_BYTES = 4_096;
const TICK_MS = 10; // USER_HZ is 100 on every Linux that Node runs on

/** One renderer process of a browser, as the kernel sees it. */
export interface RendererProcess {
  readonly pid: number;
  /** Processor time used since its start, in milliseconds. */
  readonly cpuMs: number;
  readonly residentBytes: number;
  /** Milliseconds since the machine was started. */
  readonly startedAtMs: number;
}

/**
 * The renderers in a process group, which for a browser of ours is the browser's own. Empty where there is no /proc: other
 * systems than Linux go unwatched.
 */
export async function listRenderers(group: number): Promise<RendererProcess[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => readRenderer(Number(name), group)),
  );
  return found.filter((process) => process !== undefined);
}

/** Milliseconds since the machine was started, on the clock of `startedAtMs`. */
export async function uptimeMs(): Promise<number> {
  const text = await readFile('/proc/uptime', 'utf8').catch(() => '0');
  return Number.parseFloat(text) * 1000;
}

/** A process may end between two reads: then it is not there. */
async function readRenderer(pid: number, group: number): Promise<RendererProcess | undefined> {
  try {
    const process = parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
    if (process?.group !== group) return undefined;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'latin1');
    return commandLine.includes('--type=renderer') ? { pid, ...process } : undefined;
  } catch {
    return undefined;
  }
}

/** Fields of proc(5) stat, counted from the state: the name before it may hold spaces and brackets. */
function parseStat(text: string): (Omit<RendererProcess, 'pid'> & { readonly group: number }) | undefined {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [group, userTicks, systemTicks, startTicks, residentPages] = [2, 11, 12, 19, 21].map(
    (index) => fields[index] ?? 0,
  );
  if (group === undefined || userTicks === undefined || systemTicks === undefined) return undefined;
  return {
    group,
    cpuMs: (userTicks + systemTicks) * TICK_MS,
    startedAtMs: (startTicks ?? 0) * TICK_MS,
    residentBytes: (residentPages ?? 0) * PAGE_BYTES,
  };
}
