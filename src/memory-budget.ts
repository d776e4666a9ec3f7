/** A bound on what may be in memory at once for one purpose. */
export interface MemoryBudget {
  readonly limitBytes: number;
  /** False: that would be too much, and nothing was taken. An owner (a client) gets no more than most of it. */
  readonly take: (bytes: number, owner?: string) => boolean;
  readonly give: (bytes: number, owner?: string) => void;
  /** Whether so much would fit now. */
  readonly hasRoomFor: (bytes: number, owner?: string) => boolean;
  /** What was given back, and is held by nobody else: enough of it is worth a collection. */
  readonly litter: (bytes: number) => void;
  /** Asked to make room, of so many bytes, before anything is refused; each in turn, while there is too little. */
  readonly onShort: (makeRoom: (bytes: number) => void) => void;
  readonly state: () => BudgetState;
}

export interface BudgetState {
  readonly limitBytes: number;
  readonly usedBytes: number;
  /** How often there was no room, since the start. */
  readonly refusals: number;
}

/** One client alone may do nearly everything, and nobody everything: there is always some for who comes next. */
const OWNER_SHARE = 0.75;

/** Of the limit, how much may be nobody's and still be in memory: left to itself, Node keeps up to 400 MB (2026-11-22). */
const LITTER_SHARE = 1 / 8;

/** @param collectGarbage frees what nobody holds; it stops the process for some 20 ms. */
export function createMemoryBudget(
  limitBytes: number,
  collectGarbage: () => void = () => undefined,
): MemoryBudget {
  const byOwner = new Map<string, number>();
  const makeRoom: ((bytes: number) => void)[] = [];
  let used = 0;
  let refusals = 0;
  let littered = 0;

  const isWithin = (bytes: number, owner: string | undefined): boolean => {
    if (used + bytes > limitBytes) return false;
    return owner === undefined || (byOwner.get(owner) ?? 0) + bytes <= limitBytes * OWNER_SHARE;
  };
  const hasRoomFor = (bytes: number, owner?: string): boolean => {
    for (const ask of makeRoom) if (used + bytes > limitBytes) ask(used + bytes - limitBytes);
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
    give: (bytes, owner) => {
      add(-bytes, owner);
    },
    litter: (bytes) => {
      littered += bytes;
      if (littered < limitBytes * LITTER_SHARE) return;
      littered = 0;
      setImmediate(collectGarbage); // whoever gave it back may hold it until the end of this turn
    },
    onShort: (listener) => {
      makeRoom.push(listener);
    },
    state: () => ({ limitBytes, usedBytes: used, refusals }),
  };
}

/** What there is for whom, of the memory that the service and its browser may use. The rest is the browser's, and the cache's. */
export interface MemoryPlan {
  /** Bodies of requests that are being read, or whose captures wait or run. */
  readonly bodies: number;
  /** Pictures and documents that arrive from the browser, and answers that wait to be read. */
  readonly answers: number;
}

const [BODIES_SHARE, BODIES_MOST] = [1 / 16, 512 * 1_048_576];
const [ANSWERS_SHARE, ANSWERS_MOST] = [1 / 8, 1024 * 1_048_576];

/** However little memory there is, two of the largest bodies fit, and one of the largest results. */
export function planMemory(
  memoryBytes: number,
  { maxBodyBytes, maxResultBytes }: { readonly maxBodyBytes: number; readonly maxResultBytes: number },
): MemoryPlan {
  return {
    bodies: Math.max(3 * maxBodyBytes, Math.min(memoryBytes * BODIES_SHARE, BODIES_MOST)),
    answers: Math.max(1.25 * maxResultBytes, Math.min(memoryBytes * ANSWERS_SHARE, ANSWERS_MOST)),
  };
}
