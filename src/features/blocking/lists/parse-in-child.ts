import { constants, setPriority } from 'node:os';
import { callOnce } from '../../../core/processes/call-once.ts';
import { ProcessEndedError, startProcess } from '../../../core/processes/peers.ts';
import type { ParsedLists } from './parse-lists.ts';
import type { ParserMessage } from './parse-process.ts';

const PARSER = new URL('parse-process', import.meta.url);
const PARSER_LIMITS = {
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
  const message: ParserMessage = await callOnce(startParser, paths, signal).catch((error: unknown) => {
    if (!(error instanceof ProcessEndedError)) throw error;
    throw new ListsUnreadError(`the process that parses them ended early: ${error.message}`, true);
  });
  if ('problem' in message) throw new ListsUnreadError(message.problem, false);
  return message;
}

const startParser = () => startProcess(PARSER, { ...PARSER_LIMITS, onStart: yieldTo });

/** Lowers the priority of the parser, because captures come first. */
function yieldTo(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has exited, or this system has no priorities.
  }
}
