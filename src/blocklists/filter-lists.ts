import type { Logger } from '../log.ts';
import { signatureOf } from './list-files.ts';
import { createListEngine, type ListEngine } from './list-engine.ts';
import { ListsUnreadError, readLists } from './read-lists.ts';

const POLL_MS = 5_000;
const MAX_TRIES = 3;

interface Options {
  readonly paths: readonly string[];
  readonly log: Logger;
  /** How often the files are looked at. */
  readonly pollMs?: number;
  readonly read?: typeof readLists;
}

/** The operator's lists. */
export interface FilterLists {
  /** Begins to read them, and to look whether they have changed. */
  readonly start: () => void;
  /** Waits until they have been read once. Undefined when that failed, or there are none. */
  readonly engine: () => Promise<ListEngine | undefined>;
  /** Ends what reads them. Nobody is left waiting. */
  readonly close: () => Promise<void>;
}

/**
 * Keeps the rules of the operator's lists, as they are on disk. What can't be read leaves those that were there; in the log are
 * counts, and nothing of what is in the lists.
 */
export function createFilterLists({ paths, log, pollMs = POLL_MS, read = readLists }: Options): FilterLists {
  const closing = new AbortController();
  const firstRead = Promise.withResolvers<void>();
  let current: ListEngine | undefined;
  /** Of the files when they were read last, and how often they have been tried so. */
  let tried = { signature: '', isOver: false, times: 0 };
  let seen = '';
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const load = async (signature: string): Promise<void> => {
    tried = { signature, isOver: true, times: tried.signature === signature ? tried.times + 1 : 1 };
    const startedAt = performance.now();
    try {
      const { engine, counts } = await read(paths, closing.signal);
      current = await createListEngine(engine);
      const durationMs = Math.round(performance.now() - startedAt);
      log.info({ files: paths.length, ...counts, durationMs }, 'filter lists read');
    } catch (error) {
      if (closing.signal.aborted) return;
      const isWorthARetry = error instanceof ListsUnreadError && error.isWorthARetry;
      tried = { ...tried, isOver: !isWorthARetry || tried.times >= MAX_TRIES };
      // Of errors that are not ours the name alone: a parser's message may quote what it read.
      const reason = error instanceof ListsUnreadError ? error.message : String(Object(error).name);
      const goesOn = current === undefined ? 'nothing is kept away by them' : 'those read before stay';
      log[current === undefined ? 'error' : 'warn'](
        { files: paths.length, reason, triesAgain: !tried.isOver },
        `BLOCK_LISTS: the filter lists were not read: ${goesOn}`,
      );
    }
  };

  /** A file that is being written is let be until it stays the same from one look to the next. */
  const look = async (): Promise<void> => {
    const signature = await signatureOf(paths);
    const isSteady = signature === seen;
    seen = signature;
    if (isSteady && (signature !== tried.signature || !tried.isOver)) await load(signature);
  };
  const work = (task: () => Promise<void>): void => {
    working ??= task().finally(() => {
      working = undefined;
    });
  };

  return {
    start: () => {
      if (paths.length === 0) return firstRead.resolve();
      work(async () => {
        seen = await signatureOf(paths);
        await load(seen);
        firstRead.resolve();
      });
      timer = setInterval(() => work(look), pollMs).unref();
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
