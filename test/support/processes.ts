import { readdirSync, readFileSync } from 'node:fs';

/** A process as Linux reports it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Dead, and not yet collected by its parent. */
  readonly isZombie: boolean;
}

/** Returns the living processes of a group. A browser leads one, with all processes that it starts. */
export function processGroup(group: number): readonly ProcessEntry[] {
  return allProcesses().filter((entry) => entry.group === group && !entry.isZombie);
}

/** Returns the direct children of a process, zombies included. */
export function childrenOf(parent: number): readonly ProcessEntry[] {
  return allProcesses().filter((entry) => entry.parent === parent);
}

/** False once a process has ended. */
export function isRunning(pid: number): boolean {
  return readEntry(pid).some(({ isZombie }) => !isZombie);
}

/** Returns the process id of the newest browser of a service. @throws Error if it has none. */
export function browserOf(service: number): number {
  const browsers = childrenOf(service).filter(
    ({ pid, isZombie }) => !isZombie && !commandLine(pid).includes('--type='),
  );
  if (browsers.length === 0) throw new Error('The service has no browser');
  return Math.max(...browsers.map(({ pid }) => pid));
}

/** Returns the renderer processes of a browser. */
export function renderersOf(browser: number): readonly ProcessEntry[] {
  return processesOf(browser, '--type=renderer');
}

/** Returns the processes of a browser whose command line contains the text. */
export function processesOf(browser: number, text: string): readonly ProcessEntry[] {
  return processGroup(browser).filter((entry) => commandLine(entry.pid).includes(text));
}

/** Returns the children of a process whose command line contains the text. */
export function childrenWith(parent: number, text: string): readonly ProcessEntry[] {
  return childrenOf(parent).filter((entry) => !entry.isZombie && commandLine(entry.pid).includes(text));
}

/** True while a process has this text among its arguments. */
export function hasProcessWith(text: string): boolean {
  return allProcesses().some(({ pid }) => commandLine(pid).includes(text));
}

/** Returns the environment that a process was started with; empty if it has ended. */
export function environmentOf(pid: number): string {
  return readProcessFile(pid, 'environ');
}

/** Returns the number of open files, sockets and pipes of a process. */
export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function commandLine(pid: number): string {
  return readProcessFile(pid, 'cmdline');
}

function readProcessFile(pid: number, name: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // ended since it was listed
  }
}

function allProcesses(): readonly ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)));
}

function readEntry(pid: number): readonly ProcessEntry[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // `pid (name) state parent group ...`; the name may contain anything, parentheses too.
    const [state = '', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid, parent: Number(parent), group: Number(group), isZombie: state === 'Z' }];
  } catch {
    return []; // ended since it was listed
  }
}
