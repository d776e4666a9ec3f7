import { randomUUID } from 'node:crypto';
import { COUNTERS, type Counters } from './usage-days.ts';
import type { Reservation, UsageBatch, UsageChange } from './usage-store.ts';

/** Delay before a failed batch is written again. */
const RETRY_MS = 500;
/** Time that counters of cheap answers may wait: a write for each would cost more than an answer from the cache. */
const GATHER_MS = 250;
/** Maximum number of changes and ended reservations in a batch. A longer script would block Redis. */
const MAX_COMMANDS = 1_000;
/**
 * Ended reservations that a change keeps while the store is away. Older ones expire by themselves: after hours there
 * were 100,000, which no store could write in time.
 */
const MAX_ENDED = 500;

interface Change extends UsageChange {
  add: Partial<Counters>;
  readonly ended: Reservation[];
}

/** Writes changes at once, and changes that arrive during a write together after it. */
export interface WriteBehind {
  /** Resolves when the change was written, or when the store has failed. It is then written again later. */
  readonly add: (key: string, day: string, add: Partial<Counters>, ended?: Reservation) => Promise<void>;
  /** Adds a change that may be written up to 250 ms later. */
  readonly addLater: (key: string, day: string, add: Partial<Counters>) => void;
  /** Writes all changes, with one try. Does not reject. */
  readonly flush: () => Promise<void>;
  /** Stops the timers, after a last `flush`. */
  readonly close: () => Promise<void>;
}

/**
 * @param write rejects if the store fails. The same batch may be written again: the reply may have been lost.
 * @param onResult called after each try
 */
export function createWriteBehind(
  write: (batch: UsageBatch) => Promise<void>,
  onResult: (error?: unknown) => void,
): WriteBehind {
  /** Changes by key and day. A store that is away for hours makes a change larger instead of the list longer. */
  const waiting = new Map<string, Change>();
  let failed: UsageBatch | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let gathering: NodeJS.Timeout | undefined;

  const takeBatch = (): UsageBatch => {
    const changes: Change[] = [];
    let commands = 0;
    for (const [name, change] of waiting) {
      commands += 1 + change.ended.length;
      if (changes.length > 0 && commands > MAX_COMMANDS) break;
      changes.push(change);
      waiting.delete(name);
    }
    return { id: randomUUID(), changes };
  };
  const writeWaiting = async (): Promise<void> => {
    clearTimeout(retry);
    clearTimeout(gathering);
    gathering = undefined;
    while (failed !== undefined || waiting.size > 0) {
      const batch = failed ?? takeBatch();
      failed = batch;
      try {
        await write(batch);
        failed = undefined;
        onResult();
      } catch (error) {
        onResult(error);
        retry = setTimeout(() => void flush(), RETRY_MS).unref();
        return;
      }
    }
  };
  const start = (): Promise<void> => {
    next = undefined;
    running = writeWaiting().finally(() => (running = undefined));
    return running;
  };
  /** Resolves after a write that begins now or later. */
  const flush = (): Promise<void> => {
    if (running === undefined) return start();
    return (next ??= running.then(start));
  };

  const gather = (key: string, day: string, add: Partial<Counters>): Change => {
    const name = `${key} ${day}`;
    const change = waiting.get(name) ?? { key, day, add: {}, ended: [] };
    waiting.set(name, change);
    change.add = sum(change.add, add);
    return change;
  };

  return {
    add: (key, day, add, ended) => {
      const { ended: reservations } = gather(key, day, add);
      if (ended !== undefined) reservations.push(ended);
      if (reservations.length > MAX_ENDED) reservations.shift();
      return flush();
    },
    addLater: (key, day, add) => {
      gather(key, day, add);
      gathering ??= setTimeout(() => void flush(), GATHER_MS).unref();
    },
    flush,
    close: async () => {
      await flush();
      clearTimeout(retry);
      clearTimeout(gathering);
    },
  };
}

function sum(one: Partial<Counters>, other: Partial<Counters>): Partial<Counters> {
  const names = COUNTERS.filter((name) => one[name] !== undefined || other[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
