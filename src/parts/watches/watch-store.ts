import type { Run, Watch } from './watch.ts';

export interface WatchCounts {
  readonly active: number;
  readonly paused: number;
}

/** Largest numbers of watches: of all owners, and of one. */
export interface WatchLimits {
  readonly all: number;
  readonly own: number;
}

/** Part of a list, newest first. */
export interface Page {
  /** Id of the last item of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Runs that nobody can see any more, and whose files are still to be deleted. */
export interface Leftovers {
  readonly watch: string;
  readonly runs: readonly Run[];
}

/**
 * Stores watches and their runs. Several instances share it.
 * @throws ServiceError StorageError from each method if the store is unreachable or full
 */
export interface WatchStore {
  /** False if there are as many watches already, or of this owner. */
  readonly add: (watch: Watch, most: WatchLimits) => Promise<boolean>;
  readonly get: (id: string) => Promise<Watch | undefined>;
  /** @param owner undefined: the watches of all keys */
  readonly list: (owner: string | undefined, page: Page) => Promise<readonly Watch[]>;
  /** Replaces the watch with this id and revision. False if another write came first, or there is none. */
  readonly replace: (watch: Watch) => Promise<boolean>;
  /** Removes a watch. Its runs become leftovers. False if there is none. */
  readonly remove: (id: string) => Promise<boolean>;
  /**
   * Takes the watch that has been due for longest, so that no other instance begins its run. Undefined: none is due.
   * After `untilMs`, it may be taken again.
   */
  readonly takeDue: (nowMs: number, untilMs: number) => Promise<Watch | undefined>;
  /** Takes this watch. False if another call has it. */
  readonly take: (id: string, nowMs: number, untilMs: number) => Promise<boolean>;
  readonly giveBack: (id: string) => Promise<void>;
  /** Adds a run, or replaces it. */
  readonly putRun: (run: Run) => Promise<void>;
  readonly getRun: (watch: string, id: string) => Promise<Run | undefined>;
  readonly runs: (watch: string, page: Page) => Promise<readonly Run[]>;
  /** Returns the id of the oldest one of this many runs, not counting skipped ones. Undefined: there are fewer. */
  readonly oldestOf: (watch: string, most: number) => Promise<string | undefined>;
  readonly dropRuns: (watch: string, ids: readonly string[]) => Promise<void>;
  /** Returns runs of a removed watch. Undefined: there are none. */
  readonly leftovers: (limit: number) => Promise<Leftovers | undefined>;
  readonly counts: () => Promise<WatchCounts>;
  readonly close: () => Promise<void>;
}

/** Longest time for which a watch is taken. A later end comes from a clock that was ahead. */
export const TAKEN_MS = 30_000;

/**
 * Changes a watch, again if another write came first. Returns the changed watch; undefined if there is none, or if
 * `change` returns undefined.
 */
export async function updateWatch(
  store: WatchStore,
  id: string,
  change: (watch: Watch) => Watch | undefined,
): Promise<Watch | undefined> {
  for (;;) {
    const watch = await store.get(id);
    const changed = watch && change(watch);
    if (changed === undefined || (await store.replace(changed))) return changed;
  }
}
