import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessStat, readStat } from '../../processes/process-stat.ts';

const UNRELATED_TTL_MS = 1_000; // process ids are reused after a while

/** A renderer process of a browser, as the kernel sees it. */
export interface RendererProcess extends Pick<ProcessStat, 'cpuMs' | 'residentBytes' | 'startedAtMs'> {
  readonly pid: number;
}

export interface ProcessTable {
  /** Returns the running renderers. Empty without /proc, so other systems than Linux are not watched. */
  readonly renderers: () => RendererProcess[];
  /**
   * Resident memory of all processes of the group, as of the last call of `renderers`. Shared memory counts for each
   * process.
   */
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
 * Lists the renderers of a process group, which is that of a browser. Reads synchronously: a file of /proc takes 20
 * microseconds, and ten times as much processor time through the thread pool. Processes of other groups are remembered
 * and not read again for a while.
 */
export function createProcessTable(group: number, now = performance.now.bind(performance)): ProcessTable {
  let clearedAt = -Infinity;
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
      if (now() - clearedAt > UNRELATED_TTL_MS) {
        unrelated.clear();
        clearedAt = now();
      }
      const found: RendererProcess[] = [];
      others = [];
      residentBytes = 0;
      const stillUnrelated = new Set<string>();
      const stillKnown = new Map<string, number>();
      for (const name of listProcesses()) {
        const process = unrelated.has(name) ? undefined : readStat(name);
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

/** Bytes that a browser holds outside of its renderers, whose memory ends with their pages. 0 without /proc. */
export function heldOutsideRenderers(group: number): number {
  const table = createProcessTable(group);
  table.renderers();
  return table.held().outsideRenderers;
}

/** Bytes that all processes of a browser hold. 0 without /proc. */
export function heldByBrowser(group: number): number {
  const table = createProcessTable(group);
  table.renderers();
  return table.held().total;
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
      const stat = readStat(name);
      return stat !== undefined && isOurs(stat) && readText(`/proc/${name}/cmdline`)?.includes(text) === true;
    })
    .map(Number);
}

/** True if this system has /proc. Otherwise the watchdog only checks whether browsers answer. */
export function showsProcesses(): boolean {
  return readStat('self') !== undefined;
}

/** True while a process of the group runs; zombies do not count. */
export function hasRunningProcess(group: number): boolean {
  return listProcesses().some((name) => {
    const stat = readStat(name);
    return stat?.isRunning === true && stat.group === group;
  });
}

/** Reads proc(5) status. stat would include the pages of the program, which all processes of a browser share. */
function heldBy(name: string): { readonly own: number; readonly shared: number } {
  const text = readText(`/proc/${name}/status`) ?? '';
  const kilobytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  return { own: kilobytes('RssAnon') * 1_024, shared: kilobytes('RssShmem') * 1_024 };
}

function listProcesses(): string[] {
  return quietly(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name))) ?? [];
}

/** Called once per process, because reading a command line blocks while the process changes its memory map. */
function isRenderer(name: string): boolean {
  return readText(`/proc/${name}/cmdline`)?.includes('--type=renderer') === true;
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
