import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The process has ended before it answered. */
export class ChildEndedError extends Error {
  override readonly name = 'ChildEndedError';
}

interface ChildOptions {
  /** Name of the process for errors. */
  readonly name: string;
  /** Module of the process, without its extension. It sends one message, and ends. */
  readonly module: URL;
  readonly args?: readonly string[];
  readonly execArgv?: readonly string[];
  readonly timeoutMs: number;
  /** Called when the process was started. */
  readonly onStart?: (child: ChildProcess) => void;
}

/**
 * Runs one task in a process of its own, which has ended when this settles: a thread would continue after its request
 * has ended.
 * @returns the message of the process
 * @throws ChildEndedError; the signal's reason
 */
export async function runInChild<Answer>(
  { name, module, args = [], execArgv = [], timeoutMs, onStart }: ChildOptions,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(module) + extname(import.meta.url), args, {
    env: {}, // the process gets none of our secrets
    execArgv: [...execArgv],
    serialization: 'advanced', // transfers bytes unchanged
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // its output may contain what the operator or a client has sent
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  try {
    let answer: { readonly message: Answer } | undefined;
    child.once('message', (message: Answer) => (answer = { message }));
    onStart?.(child);
    // The message arrives before the channel closes. Both reject if the process could not be started.
    await Promise.all([once(child, 'disconnect'), once(child, 'close')]);
    signal.throwIfAborted();
    if (answer !== undefined) return answer.message;
    throw new ChildEndedError(`${name} ended early: ${child.signalCode ?? `exit code ${child.exitCode}`}`);
  } finally {
    signal.removeEventListener('abort', kill);
    kill(); // does nothing if the process has exited
  }
}
