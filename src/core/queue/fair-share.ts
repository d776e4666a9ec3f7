/** Client name of background work. Clients go first, and the queue limits do not apply to it. */
export const BACKGROUND = 'background';

/** Longest time that busy clients can keep a slot from the background. */
const DUE_AFTER_MS = 30_000;

/** The key of a capture, with its limit of captures at once: those of clients and of the background together. */
export interface KeyLimit {
  readonly id: string;
  /** Undefined: no limit. */
  readonly concurrency?: number | undefined;
}

/** A capture in the queue. */
export interface Waiter<Slot> {
  readonly key: KeyLimit | undefined;
  readonly admit: (slot: Slot) => void;
  readonly refuse: (error: Error) => void;
}

/** A client with captures that run or wait. */
export interface Client<Slot> {
  readonly isBackground: boolean;
  running: number;
  /** Sequence number of its last admission; 0 if it had none. */
  lastAdmission: number;
  /** Waiting captures, oldest first. */
  readonly waiting: Set<Waiter<Slot>>;
}

export function newClient<Slot>(name: string): Client<Slot> {
  return { isBackground: name === BACKGROUND, running: 0, lastAdmission: 0, waiting: new Set() };
}

/** Returns the client with the fewest running captures. Among equals, the one whose last admission is oldest. */
export function nextInLine<Slot>(clients: readonly Client<Slot>[]): Client<Slot> | undefined {
  return clients.toSorted((one, other) => one.running - other.running || one.lastAdmission - other.lastAdmission)[0];
}

/**
 * Returns the newest waiter of the client with the most waiters. Undefined if that client has at most one waiter more
 * than the arriving client.
 */
export function waiterToEvict<Slot>(
  clients: Iterable<Client<Slot>>,
  waitingOfArriving: number,
): Waiter<Slot> | undefined {
  const longest = [...clients].reduce<ReadonlySet<Waiter<Slot>>>(
    (best, { waiting, isBackground }) => (!isBackground && waiting.size > best.size ? waiting : best),
    new Set(),
  );
  return longest.size > waitingOfArriving + 1 ? [...longest].at(-1) : undefined;
}

/** Slot use of the background. Decides when the background is due for a slot although clients wait. */
export class BackgroundUse {
  readonly #now: () => number;
  #startedAtMs = 0;
  #endedAtMs: number;
  #tookMs = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#endedAtMs = now();
  }

  begin(): void {
    this.#startedAtMs = this.#now();
  }

  end(): void {
    this.#endedAtMs = this.#now();
    this.#tookMs = this.#endedAtMs - this.#startedAtMs;
  }

  /** True after 30 s without a slot, or after the time that its last capture took if that is longer. */
  isDue(): boolean {
    return this.#now() - this.#endedAtMs >= Math.max(DUE_AFTER_MS, this.#tookMs);
  }
}

/** Running captures of the keys that have a limit. */
export class KeyUse {
  readonly #keys = new Map<string, { running: number; readonly limit: number }>();

  isFull(key: KeyLimit | undefined): boolean {
    if (key?.concurrency === undefined) return false;
    return (this.#keys.get(key.id)?.running ?? 0) >= key.concurrency;
  }

  begin(key: KeyLimit | undefined): void {
    if (key?.concurrency === undefined) return;
    const running = (this.#keys.get(key.id)?.running ?? 0) + 1;
    this.#keys.set(key.id, { running, limit: key.concurrency });
  }

  end(key: KeyLimit | undefined): void {
    const use = key && this.#keys.get(key.id);
    if (key === undefined || use === undefined) return;
    use.running--;
    if (use.running === 0) this.#keys.delete(key.id);
  }

  /** Ids of the keys that run as many captures as they may. */
  full(): readonly string[] {
    return [...this.#keys].flatMap(([id, { running, limit }]) => (running >= limit ? id : []));
  }
}
