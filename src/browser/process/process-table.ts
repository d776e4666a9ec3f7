import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const UNRELATED_TTL_MS = 1_000; // process ids are reused after a while
const TICK_MS = 10; // USER_HZ is 100 on every Linux that Node runs on

/** A renderer process of a browser, as the kernel sees it. */
export interface RendererProcess {
  readonly pid: number;
  /** Processor time since its start, in milliseconds. */
  readonly cpuMs: number;
  readonly residentBytes: number;
  /** Start time in milliseconds since the machine was booted. */
  readonly startedAtMs: number;
}

export interface ProcessTable {
  /** Returns the running renderers. Empty without /proc, so other systems than Linux are not watched. */
  readonly renderers: () => RendererProcess[];
  /** Resident memory of all processes of the group, as of the last call of `renderers`. Shared memory counts for each process. */
  readonly residentBytes: () => number;
  /** Memory that the processes hold. Takes two or three times as long as `renderers`. */
  readonly held: () => HeldMemory;
}

/** Memory that only the end of a process frees: without files, and with shared memory counted once. */
interface HeldMemory {
  readonly total: number;
  /** Memory of processes that are not renderers: browser, network and compositor. */
  readonly outsideRenderers: number;
}

/**
 * Lists the renderers of a process group, which is that of a browser. Reads synchronously: a file of /proc takes 20 microseconds, and ten
 * times as much processor time through the thread pool. Processes of other groups are remembered and not read again for a while.
 */
export function createProcessTable(group: number, now = performance.now.bind(performance)): ProcessTable {
  let lookedAt = -Infinity;
  let unrelated = new Set<string>();
  let known = new Map<string, number>(); // start times of renderers by pid
  let others: string[] = [];
  let residentBytes = 0;
  return {
    residentBytes: () => residentBytes,
    held: () => {
      const inRenderers = [...known.keys()].map(heldBy);
      const outside = others.map(heldBy);
      const shared = [...inRenderers, ...outside].map((bytes) => bytes.shared);
      const outsideRenderers = outside.reduce((sum, bytes) => sum + bytes.own, 0);
      const own = inRenderers.reduce((sum, bytes) => sum + bytes.own, outsideRenderers);
      return { total: own + Math.max(0, ...shared), outsideRenderers };
    },
    renderers: () => {
      if (now() - lookedAt > UNRELATED_TTL_MS) unrelated.clear();
      lookedAt = now();
      const found: RendererProcess[] = [];
      others = [];
      residentBytes = 0;
      const stillUnrelated = new Set<string>();
      const stillKnown = new Map<string, number>();
      for (const name of listProcesses()) {
        const process = unrelated.has(name) ? undefined : parseStat(readText(`/proc/${name}/stat`) ?? '');
        if (process?.group !== group) {
          stillUnrelated.add(name);
          continue;
        }
        residentBytes += process.residentBytes;
        if (known.get(name) === process.startedAtMs || isRenderer(name)) {
          stillKnown.set(name, process.startedAtMs);
          found.push({ pid: Number(name), ...process });
        } else others.push(name);
      }
      unrelated = stillUnrelated;
      known = stillKnown;
      return found;
    },
  };
}

/** Memory that this process holds, as in `HeldMemory`. 0 without /proc. */
export function ownHeldBytes(): number {
  return heldBy('self').own;
}

/** Milliseconds since the machine was booted, the clock of `startedAtMs`. */
export function uptimeMs(): number {
  return Number.parseFloat(readText('/proc/uptime') ?? '0') * 1000;
}

/** Returns processes of a group whose command line contains the text, oldest first. */
export function findProcesses(group: number, text: string): number[] {
  return findWhere((stat) => stat.group === group, text);
}

/** Returns direct children of a process whose command line contains the text, oldest first. */
export function findChildren(parent: number, text: string): number[] {
  return findWhere((stat) => stat.parent === parent, text);
}

function findWhere(isOurs: (stat: ProcessStat) => boolean, text: string): number[] {
  return listProcesses()
    .filter((name) => {
      const stat = parseStat(readText(`/proc/${name}/stat`) ?? '');
      return stat !== undefined && isOurs(stat) && readText(`/proc/${name}/cmdline`)?.includes(text) === true;
    })
    .map(Number);
}

/** Processor time of a process since its start, in milliseconds. Undefined if it has ended, or without /proc. */
export function cpuMsOf(pid: number): number | undefined {
  return parseStat(readText(`/proc/${pid}/stat`) ?? '')?.cpuMs;
}

/** True if this system has /proc. Otherwise the watchdog only checks whether browsers answer. */
export function showsProcesses(): boolean {
  return readText('/proc/self/stat') !== undefined;
}

/** False for ended processes, zombies included. */
export function isRunning(pid: number): boolean {
  const text = readText(`/proc/${pid}/stat`);
  return text !== undefined && !['Z', 'X'].includes(text.charAt(text.lastIndexOf(')') + 2));
}

/** True while a process of the group runs; zombies do not count. */
export function hasRunningProcess(group: number): boolean {
  return findWhere((stat) => stat.group === group, '').some(isRunning);
}

/** Reads proc(5) status. stat would include the pages of the program, which all processes of a browser share. */
function heldBy(name: string): { readonly own: number; readonly shared: number } {
  const text = readText(`/proc/${name}/status`) ?? '';
  const kilobytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  return { own: kilobytes('RssAnon') * 1_024, shared: kilobytes('RssShmem') * 1_024 };
}

function listProcesses(): string[] {
  return quietly(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name))) ?? [];
}

/**
 * Called once per process: the kernel returns the command line only while the process is not changing its memory map, and blocks until
 * then.
 */
function isRenderer(name: string): boolean {
  return readText(`/proc/${name}/cmdline`)?.includes('--type=renderer') === true;
}

interface ProcessStat extends Omit<RendererProcess, 'pid'> {
  readonly parent: number;
  readonly group: number;
}

/** Parses proc(5) stat, from the state on: the name before it may contain spaces and brackets. */
function parseStat(text: string): ProcessStat | undefined {
  if (text === '') return undefined; // the process has ended, or there is no /proc: zeros would look like an idle process
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent, group, userTicks, systemTicks, startTicks, residentPages] = [1, 2, 11, 12, 19, 21].map(
    (index) => fields[index] ?? 0,
  );
  if (parent === undefined || group === undefined || userTicks === undefined || systemTicks === undefined)
    return undefined;
  return {
    parent,
    group,
    cpuMs: (userTicks + systemTicks) * TICK_MS,
    startedAtMs: (startTicks ?? 0) * TICK_MS,
    residentBytes: (residentPages ?? 0) * PAGE_BYTES,
  };
}

function readText(path: string): string | undefined {
  return quietly(() => readFileSync(path, 'latin1'));
}

/** A process can end between two reads. Then it counts as missing. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
