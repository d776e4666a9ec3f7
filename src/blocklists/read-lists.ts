import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ParsedLists } from './parse-lists.ts';
import type { ParserMessage } from './parse-process.ts';

const PARSER = fileURLToPath(new URL(`parse-process${extname(import.meta.url)}`, import.meta.url));
/** Parsing takes 2 s for 5 MB on an idle core, and 80 s for MAX_LIST_BYTES on a busy core (2026-11-22). */
const PARSE_TIMEOUT_MS = 180_000;
const MAX_HEAP_MB = 1_536; // parsing MAX_LIST_BYTES needs 1,150 MB

/** Loading failed. The message contains nothing of the lists. */
export class ListsUnreadError extends Error {
  override readonly name = 'ListsUnreadError';
  /** True if the cause is not the content of the files, so that a retry may succeed. */
  readonly isWorthARetry: boolean;

  constructor(message: string, isWorthARetry: boolean) {
    super(message);
    this.isWorthARetry = isWorthARetry;
  }
}

/**
 * Reads and parses lists in a child process, which has ended when this settles.
 * @throws ListsUnreadError; the signal's reason
 */
export async function readLists(paths: readonly string[], signal: AbortSignal): Promise<ParsedLists> {
  signal.throwIfAborted();
  const child = fork(PARSER, paths, {
    env: {}, // the process gets none of our secrets
    execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
    serialization: 'advanced', // transfers bytes unchanged
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // the error output may contain lines of a list
    timeout: PARSE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  try {
    yieldTo(child.pid);
    let message: ParserMessage | undefined;
    child.once('message', (received: ParserMessage) => {
      message = received;
    });
    // The message arrives before the channel closes. Both reject if the process could not be started.
    await Promise.all([once(child, 'disconnect'), once(child, 'close')]);
    signal.throwIfAborted();
    if (message === undefined) {
      const how = child.signalCode ?? `exit code ${child.exitCode}`;
      throw new ListsUnreadError(`the process that parses them ended early: ${how}`, true);
    }
    if ('problem' in message) throw new ListsUnreadError(message.problem, false);
    return message;
  } finally {
    signal.removeEventListener('abort', kill);
    kill(); // does nothing if the process has exited
  }
}

/** Lowers the priority of the parser, because captures come first. */
function yieldTo(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has exited, or this system has no priorities.
  }
}
