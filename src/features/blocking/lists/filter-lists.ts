import type { Logger } from '../../../core/ground/log.ts';
import { signatureOf } from './filter-list-files.ts';
import type { FilterRules } from '../../../core/steps/common/filter-rules.ts';
import { createListEngine } from './list-engine.ts';
import { ListsUnreadError, parseListsInChild } from './parse-in-child.ts';

const POLL_MS = 5_000;
const MAX_TRIES = 3;

interface Options {
  readonly paths: readonly string[];
  readonly log: Logger;
  /** Polling interval for changes of the files. */
  readonly pollMs?: number;
  readonly read?: typeof parseListsInChild;
}

/** The filter lists of the operator. */
export interface FilterLists {
  /** Starts loading, and polling for changes. */
  readonly start: () => void;
  /** Waits until the lists are loaded. Undefined if loading failed, or there are none. */
  readonly engine: () => Promise<FilterRules | undefined>;
  /** Stops loading. Pending calls of `engine` settle. */
  readonly close: () => Promise<void>;
}

/**
 * Keeps the rules of the operator's filter lists up to date. If a file can't be read, the previous rules stay. The log
 * has counts, never content of the lists.
 */
export function createFilterLists({ paths, log, pollMs = POLL_MS, read = parseListsInChild }: Options): FilterLists {
  const closing = new AbortController();
  const firstRead = Promise.withResolvers<void>();
  let current: FilterRules | undefined;
  /** Signature of the files at the last load, and the number of failed loads of that signature. */
  let tried = { signature: '', isFinal: false, times: 0 };
  let seen = '';
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const load = async (signature: string): Promise<void> => {
    tried = { signature, isFinal: true, times: tried.signature === signature ? tried.times + 1 : 1 };
    const startedAt = performance.now();
    try {
      const { engine, counts } = await read(paths, closing.signal);
      current = await createListEngine(engine);
      const durationMs = Math.round(performance.now() - startedAt);
      log.info({ files: paths.length, ...counts, durationMs }, 'filter lists read');
    } catch (error) {
      if (closing.signal.aborted) return;
      const isWorthARetry = error instanceof ListsUnreadError && error.isWorthARetry;
      tried = { ...tried, isFinal: !isWorthARetry || tried.times >= MAX_TRIES };
      // Logs only the name of errors from other code, because a parser's message may quote the list.
      const reason = error instanceof ListsUnreadError ? error.message : String(Object(error).name);
      const goesOn = current === undefined ? 'no filter list is in force' : 'the previous lists stay in force';
      log[current === undefined ? 'error' : 'warn'](
        { files: paths.length, reason, triesAgain: !tried.isFinal },
        `BLOCK_LISTS: the filter lists were not read: ${goesOn}`,
      );
    }
  };

  /** A file that is being written is loaded when it has not changed between two polls. */
  const poll = async (): Promise<void> => {
    const signature = await signatureOf(paths);
    const isUnchanged = signature === seen;
    seen = signature;
    if (isUnchanged && (signature !== tried.signature || !tried.isFinal)) await load(signature);
  };
  const work = (task: () => Promise<void>): void => {
    working ??= task().finally(() => (working = undefined));
  };

  return {
    start: () => {
      if (paths.length === 0) return firstRead.resolve();
      work(async () => {
        seen = await signatureOf(paths);
        await load(seen);
        firstRead.resolve();
      });
      timer = setInterval(() => work(poll), pollMs).unref();
    },
    engine: async () => {
      await firstRead.promise;
      return current;
    },
    close: async () => {
      clearInterval(timer);
      closing.abort();
      firstRead.resolve();
      await working;
    },
  };
}
