import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A limit on the memory for one purpose. */
export interface MemoryBudget {
  readonly limitBytes: number;
  /** Reserves memory. False if there is not enough. One owner (a client) can't reserve all of it. */
  readonly take: (bytes: number, owner?: string) => boolean;
  readonly give: (bytes: number, owner?: string) => void;
  /** True if this many bytes would fit now. */
  readonly hasRoomFor: (bytes: number, owner?: string) => boolean;
  /** Reports released bytes that became garbage. After enough of them, a garbage collection runs. */
  readonly addGarbage: (bytes: number) => void;
  /**
   * Registers a listener that can free memory before a request is refused. Listeners run in order while memory is
   * missing.
   */
  readonly onShort: (makeRoom: (bytes: number) => void) => void;
  readonly state: () => BudgetState;
}

export interface BudgetState {
  readonly limitBytes: number;
  readonly usedBytes: number;
  /** Number of refusals since the start. */
  readonly refusals: number;
}

/**
 * Maximum share of the budget for one client, so that some memory is left for others. A single reservation may be
 * larger: on a small machine, one result of maximum size is.
 */
const OWNER_SHARE = 0.75;

/** Maximum share of the budget that may be garbage: without collections, Node keeps up to 400 MB (2026-11-22). */
const GARBAGE_SHARE = 1 / 8;

/** @param collectGarbage frees garbage; it stops the process for about 20 ms */
export function createMemoryBudget(limitBytes: number, collectGarbage: () => void = () => undefined): MemoryBudget {
  const byOwner = new Map<string, number>();
  const makeRoom: ((bytes: number) => void)[] = [];
  let used = 0;
  let refusals = 0;
  let garbageBytes = 0;

  const isWithin = (bytes: number, owner: string | undefined): boolean => {
    if (used + bytes > limitBytes) return false;
    if (owner === undefined) return true;
    const owned = byOwner.get(owner) ?? 0;
    return owned === 0 || owned + bytes <= limitBytes * OWNER_SHARE;
  };
  const hasRoomFor = (bytes: number, owner?: string): boolean => {
    for (const free of makeRoom) if (used + bytes > limitBytes) free(used + bytes - limitBytes);
    const fits = isWithin(bytes, owner);
    if (!fits) refusals++;
    return fits;
  };
  const add = (bytes: number, owner: string | undefined): void => {
    used += bytes;
    if (owner === undefined) return;
    const owned = (byOwner.get(owner) ?? 0) + bytes;
    if (owned > 0) byOwner.set(owner, owned);
    else byOwner.delete(owner);
  };

  return {
    limitBytes,
    hasRoomFor,
    take: (bytes, owner) => {
      if (!hasRoomFor(bytes, owner)) return false;
      add(bytes, owner);
      return true;
    },
    give: (bytes, owner) => add(-bytes, owner),
    addGarbage: (bytes) => {
      garbageBytes += bytes;
      if (garbageBytes < limitBytes * GARBAGE_SHARE) return;
      garbageBytes = 0;
      setImmediate(collectGarbage); // the caller may hold the bytes until the end of this event loop turn
    },
    onShort: (listener) => void makeRoom.push(listener),
    state: () => ({ limitBytes, usedBytes: used, refusals }),
  };
}

/** Shares of the memory limit of service and browser. The rest is for the browser and the cache. */
export interface MemoryPlan {
  /** Request bodies that are being read, or whose captures wait or run. */
  readonly bodies: number;
  /** Results that arrive from the browser, and answers that wait to be read. */
  readonly answers: number;
}

const [BODIES_SHARE, BODIES_MOST] = [1 / 16, 512 * 1_048_576];
const [ANSWERS_SHARE, ANSWERS_MOST] = [1 / 8, 1024 * 1_048_576];

/** Plans the budgets. Even with little memory, two bodies of maximum size and one result of maximum size fit. */
export function planMemory(
  memoryBytes: number,
  { maxBodyBytes, maxResultBytes }: { readonly maxBodyBytes: number; readonly maxResultBytes: number },
): MemoryPlan {
  return {
    bodies: Math.max(3 * maxBodyBytes, Math.min(memoryBytes * BODIES_SHARE, BODIES_MOST)),
    answers: Math.max(1.25 * maxResultBytes, Math.min(memoryBytes * ANSWERS_SHARE, ANSWERS_MOST)),
  };
}

/**
 * Returns a function that runs the garbage collector. V8 keeps up to 64 MB of unused bodies, because it does not count
 * them to its heap, and the process never returns that memory. This flag is the only way in Node.
 */
export function createGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node has no callable garbage collector');
  return () => void Reflect.apply(collect, undefined, []);
}
