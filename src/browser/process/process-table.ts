import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const STRANGERS_LAST_MS = 1_000; // a process id is given out again after a while, and then to one of ours perhaps
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

export interface ProcessTable {
  /** The renderers that run now. Empty where there is no /proc: other systems than Linux go unwatched. */
  readonly renderers: () => RendererProcess[];
  /** What all processes of the group have in memory, as of the last look at the renderers; what they share counts for each. */
  readonly residentBytes: () => number;
  /** What they hold of it. Costs two or three times a look. */
  readonly held: () => HeldMemory;
}

/** Bytes that are nowhere else, so that only the end of a process frees them: no files, and what is shared only once. */
interface HeldMemory {
  readonly total: number;
  /** Of the processes that are no renderers: the browser's own, and what it has for the network and for painting. */
  readonly outsideRenderers: number;
}

/**
 * The renderers in a process group, which for a browser of ours is the browser's own. Read without waiting: a file of /proc takes
 * some 20 microseconds that way, and ten times as much of the processor through the thread pool. A process that was seen in
 * another group is not read again while the looks follow each other closely.
 */
export function createProcessTable(group: number, now = performance.now.bind(performance)): ProcessTable {
  let lookedAt = -Infinity;
  let strangers = new Set<string>();
  let known = new Map<string, number>(); // renderers, by pid, with the time of their start
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
      if (now() - lookedAt > STRANGERS_LAST_MS) strangers.clear();
      lookedAt = now();
      const found: RendererProcess[] = [];
      others = [];
      residentBytes = 0;
      const stillStrangers = new Set<string>();
      const stillKnown = new Map<string, number>();
      for (const name of listProcesses()) {
        const process = strangers.has(name) ? undefined : parseStat(readText(`/proc/${name}/stat`) ?? '');
        if (process?.group !== group) {
          stillStrangers.add(name);
          continue;
        }
        residentBytes += process.residentBytes;
        if (known.get(name) === process.startedAtMs || isRenderer(name)) {
          stillKnown.set(name, process.startedAtMs);
          found.push({ pid: Number(name), ...process });
        } else others.push(name);
      }
      strangers = stillStrangers;
      known = stillKnown;
      return found;
    },
  };
}

/** What this process holds itself, as in `HeldMemory`; 0 where there is no /proc. */
export function ownHeldBytes(): number {
  return heldBy('self').own;
}

/** Milliseconds since the machine was started, on the clock of `startedAtMs`. */
export function uptimeMs(): number {
  return Number.parseFloat(readText('/proc/uptime') ?? '0') * 1000;
}

/** The processes of a group whose command line contains the text, oldest first. */
export function findProcesses(group: number, text: string): number[] {
  return findWhere((stat) => stat.group === group, text);
}

/** The processes that a process has started itself whose command line contains the text, oldest first. */
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

/** Processor time used since its start, in milliseconds; undefined when it is gone, and where there is no /proc. */
export function cpuMsOf(pid: number): number | undefined {
  return parseStat(readText(`/proc/${pid}/stat`) ?? '')?.cpuMs;
}

/** Whether this system shows its processes as files. Where it does not, browsers are only watched for whether they answer. */
export function showsProcesses(): boolean {
  return readText('/proc/self/stat') !== undefined;
}

/** False when it has ended, also while nobody has asked yet for how it ended. */
export function isRunning(pid: number): boolean {
  const text = readText(`/proc/${pid}/stat`);
  return text !== undefined && !['Z', 'X'].includes(text.charAt(text.lastIndexOf(')') + 2));
}

/** Of proc(5) status: stat counts the pages of the program too, which all processes of a browser have in common. */
function heldBy(name: string): { readonly own: number; readonly shared: number } {
  const text = readText(`/proc/${name}/status`) ?? '';
  const kilobytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  return { own: kilobytes('RssAnon') * 1_024, shared: kilobytes('RssShmem') * 1_024 };
}

function listProcesses(): string[] {
  return quietly(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name))) ?? [];
}

/** Asked once for each: the kernel gives the command line only when the process is not busy changing its memory, and waits until then. */
function isRenderer(name: string): boolean {
  return readText(`/proc/${name}/cmdline`)?.includes('--type=renderer') === true;
}

interface ProcessStat extends Omit<RendererProcess, 'pid'> {
  readonly parent: number;
  readonly group: number;
}

/** Fields of proc(5) stat, counted from the state: the name before it may hold spaces and brackets. */
function parseStat(text: string): ProcessStat | undefined {
  if (text === '') return undefined; // ended, or no /proc: zeros would pass for a process that stands still
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

/** A process may end between two reads: then it is not there. */
function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
