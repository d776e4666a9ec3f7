import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
// oxlint-disable-next-line no-explicit-any -- each method gets the value of its own call
export type AnyValue = any;

/** A thread or a child process that runs `serveCalls`. */
export interface Peer {
  readonly post: (message: unknown) => void;
  /** Keeps this process running, or lets it end. */
  readonly ref: () => void;
  readonly unref: () => void;
  readonly kill: () => void;
  /** Call it once, at the start. */
  readonly listen: (onMessage: (message: AnyValue) => void, onEnd: (reason: Error) => void) => void;
}

export function threadPeer(thread: Worker): Peer {
  let reason: Error | undefined;
  return {
    post: (message) => post(thread, message),
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    kill: () => void thread.terminate(),
    listen: (onMessage, onEnd) => {
      // Without a listener for `error`, a failure of the thread would end the service. `exit` follows.
      thread
        .on('message', onMessage)
        .on('error', (error: Error) => (reason = error))
        .once('exit', (code) => onEnd(reason ?? new Error(`exit code ${code}`)));
    },
  };
}

/** The process has ended before it answered. `signal` is the signal that ended it. */
export class ProcessEndedError extends Error {
  override readonly name = 'ProcessEndedError';
  readonly signal: NodeJS.Signals | null;

  constructor(code: number | null, signal: NodeJS.Signals | null) {
    super(signal ?? `exit code ${code}`);
    this.signal = signal;
  }
}

/** True if the process has reached its own memory limit: V8 aborts it. */
export function isOutOfMemory(error: unknown): boolean {
  return endedBy(error) === 'SIGABRT';
}

/** True if the system has killed the process, most likely because the machine lacks memory. */
export function isKilled(error: unknown): boolean {
  return endedBy(error) === 'SIGKILL';
}

function endedBy(error: unknown): NodeJS.Signals | null {
  const { cause = error } = Object(error);
  return cause instanceof ProcessEndedError ? cause.signal : null;
}

interface ProcessOptions {
  readonly execArgv?: readonly string[];
  /** Time after which the process is ended by SIGTERM. Default: never. */
  readonly timeoutMs?: number;
  /**
   * Memory beyond which the process is ended by SIGABRT, in bytes. V8 limits its own objects alone, not bytes and
   * WebAssembly. Only where the system has `/proc`. Default: no limit.
   */
  readonly maxBytes?: number;
  /** Called with the process id when the process was started. */
  readonly onStart?: (pid: number | undefined) => void;
}

/** Starts a child process. @param module its module, without the extension */
export function startProcess(module: URL, { execArgv = [], timeoutMs, maxBytes, onStart }: ProcessOptions = {}): Peer {
  const child = fork(fileURLToPath(module) + extname(import.meta.url), {
    env: {}, // the process gets none of our secrets
    execArgv: [...execArgv],
    serialization: 'advanced', // transfers bytes unchanged
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // its output may contain what the operator or a client has sent
    killSignal: 'SIGTERM', // at the time limit; the system kills with SIGKILL
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  });
  onStart?.(child.pid);
  if (maxBytes !== undefined) limitMemory(child, maxBytes);
  return {
    post: (message) => child.send(Object(message), () => undefined), // the process may have ended, which `exit` reports
    ref: () => {
      child.ref();
      child.channel?.ref();
    },
    unref: () => {
      child.unref();
      child.channel?.unref();
    },
    kill: () => void child.kill('SIGKILL'),
    listen: (onMessage, onEnd) => {
      child
        .on('message', onMessage)
        .on('error', onEnd) // the process could not be started
        .once('exit', (code, signal) => onEnd(new ProcessEndedError(code, signal)));
    },
  };
}

const MEMORY_CHECK_MS = 100;
const MEMORY_PAGE_BYTES = 4_096;

function limitMemory(child: ChildProcess, maxBytes: number): void {
  const check = async (): Promise<void> => {
    const text = await readFile(`/proc/${child.pid}/statm`, 'utf8').catch(() => ''); // it has ended, or another system
    const [, resident = 0] = text.split(' ').map(Number);
    if (resident * MEMORY_PAGE_BYTES > maxBytes) child.kill('SIGABRT');
  };
  const timer = setInterval(() => void check(), MEMORY_CHECK_MS).unref();
  child.once('exit', () => clearInterval(timer)).once('error', () => clearInterval(timer));
}

export function post(to: Pick<Worker, 'postMessage'>, message: unknown): void {
  to.postMessage(message); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
}
