import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultArgs, type LaunchOptions } from 'puppeteer';
import type { ResultRoom } from '../pipe/result-buffer.ts';
import { createPipeTransport, type PipeTransport } from '../pipe/pipe-transport.ts';
import { hasRunningProcess, showsProcesses } from './process-table.ts';

/** A detached process on Windows would open its own console window. */
const HAS_PROCESS_GROUPS = process.platform !== 'win32';

/** Longest wait for a killed group. A process that waits for a disk ends only after that. */
const END_LIMIT_MS = 5_000;
/**
 * Polling interval. The kernel reports only the end of direct children, and most processes of a browser are not ours.
 */
const POLL_MS = 20;

interface SpawnOptions extends Pick<LaunchOptions, 'args' | 'headless' | 'userDataDir'> {
  readonly executablePath: string;
  /** Flags of Puppeteer's command line to leave out. */
  readonly ignoreDefaultArgs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly room?: ResultRoom;
}

export interface SpawnedBrowser {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly pipe: PipeTransport;
}

/**
 * Starts a browser process with Puppeteer's command line, as the leader of its own process group, connected by two
 * pipes. The caller kills the group. The browser also ends when the pipes close.
 * @throws Error if it can't be started
 */
export async function spawnBrowser(options: SpawnOptions): Promise<SpawnedBrowser> {
  const { executablePath, ignoreDefaultArgs, env, room, ...shared } = options;
  // Puppeteer would otherwise look for its configuration in the working directory, and run it.
  const allArgs = await defaultArgs({ ...shared, browser: 'chrome' });
  const args = allArgs.filter((arg) => !ignoreDefaultArgs.includes(arg));
  const child = spawn(executablePath, [...args, '--remote-debugging-pipe'], {
    // Chrome prints much output that is never read.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: HAS_PROCESS_GROUPS,
    env,
  });
  await new Promise<void>((resolve, reject) => void child.once('spawn', resolve).once('error', reject));
  const { pid, stdio } = child;
  const [, , , toBrowser, fromBrowser] = stdio;
  if (pid === undefined || !(toBrowser instanceof Socket) || !(fromBrowser instanceof Socket))
    throw new Error('the browser has no process or no pipes');
  return { child, pid, pipe: createPipeTransport(toBrowser, fromBrowser, room) };
}

/**
 * Kills a browser and its children. The browser is the leader of its own process group. Windows has no such groups:
 * there its children end by themselves.
 */
export function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // ESRCH: the whole group has ended already.
  }
}

/**
 * Resolves once no process of a killed group runs, after 5 s at the latest. Zombies do not count: they write nothing.
 */
export async function groupEnded(pid: number): Promise<void> {
  const endAt = performance.now() + END_LIMIT_MS;
  while (hasRunning(pid) && performance.now() < endAt) await delay(POLL_MS);
}

function hasRunning(group: number): boolean {
  try {
    process.kill(process.platform === 'win32' ? group : -group, 0);
  } catch {
    return false;
  }
  return !showsProcesses() || hasRunningProcess(group);
}
