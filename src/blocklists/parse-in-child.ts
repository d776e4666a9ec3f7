import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { ChildEndedError, runInChild } from '../processes/run-in-child.ts';
import type { ParsedLists } from './parse-lists.ts';
import type { ParserMessage } from './parse-process.ts';

const PARSER = {
  name: 'the process that parses them',
  module: new URL('parse-process', import.meta.url),
  execArgv: ['--max-old-space-size=1536'], // parsing MAX_LIST_BYTES needs 1,150 MB
  // parsing takes 2 s for 5 MB on an idle core, and 80 s for MAX_LIST_BYTES on a busy core (2026-11-22)
  timeoutMs: 180_000,
};

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
export async function parseListsInChild(paths: readonly string[], signal: AbortSignal): Promise<ParsedLists> {
  const parser = { ...PARSER, args: paths, onStart: ({ pid }: ChildProcess) => yieldTo(pid) };
  const message = await runInChild<ParserMessage>(parser, signal).catch((error: unknown) => {
    throw error instanceof ChildEndedError ? new ListsUnreadError(error.message, true) : error;
  });
  if ('problem' in message) throw new ListsUnreadError(message.problem, false);
  return message;
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
