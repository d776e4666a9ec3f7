import type { EgressRoute } from '../../egress/gate/dial.ts';
import type { Gate } from '../../egress/gate/gate.ts';
import type { Logger } from '../../ground/log.ts';
import type { BrowserHost } from '../host/browser-host.ts';
import { FairQueue } from '../../queue/fair-queue.ts';
import { BACKGROUND, type KeyLimit } from '../../queue/fair-share.ts';
import { FreeSlots } from './free-slots.ts';
import { openLease, type PageLease } from './lease.ts';
import { createSlot, type Slot } from './slot.ts';

interface LeaseOptions {
  /** The client that requests the capture. Clients share the slots fairly. */
  readonly client?: string;
  /** The key of the client, whose limit of captures at once applies. */
  readonly key?: KeyLimit | undefined;
  /** True: opens a new page. The cause of the failed attempt may have broken the prepared pages too. */
  readonly isRetry?: boolean;
}

export interface PoolState {
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface PagePool {
  /**
   * Waits for a slot, and opens a page in it that may connect where `destinations` allows. The caller releases the
   * lease.
   * @throws ServiceError OverloadedError if too many captures wait, of all clients or of this one
   */
  readonly lease: (destinations: EgressRoute, signal: AbortSignal, options?: LeaseOptions) => Promise<PageLease>;
  readonly state: () => PoolState;
  /** See `FairQueue`. */
  readonly keysAtLimit: () => readonly string[];
  /** See `FairQueue`. */
  readonly isFull: () => boolean;
  /** See `FairQueue`. */
  readonly quietMs: () => number;
  /** See `FairQueue`. */
  readonly isBackgroundDue: () => boolean;
  /**
   * Waits for a slot and keeps it for the next lease of the background, for at most a second. Returns a function that
   * releases the slot if no lease has taken it. Rejects with the reason of the signal.
   */
  readonly reserve: (signal: AbortSignal) => Promise<() => void>;
  /** Lets a caller fail early, before it prepares a lease. @throws ServiceError as `lease` */
  readonly refuseWhenFull: (client?: string) => void;
  /** Resolves when all leases are released. */
  readonly idle: () => Promise<void>;
}

interface PoolOptions {
  readonly host: BrowserHost;
  /** Gates, one per slot. */
  readonly gates: readonly Gate[];
  /** Gate of the extra slot, for a client that arrives while another client has all slots. */
  readonly extraGate?: Gate;
  /** Creates another gate for a slot. */
  readonly createGate: () => Promise<Gate>;
  /** Requests that may wait for a slot. */
  readonly maxQueue: number;
  /** True: prepares pages in free slots while there is time. */
  readonly makesAhead?: boolean;
  readonly log: Logger;
}

const RESERVED_MS = 1_000; // a job store that hangs must not keep a slot from clients

/** Creates a pool: a fixed number of slots, each with its gate, and a bounded queue in front of them. */
export function createPagePool(options: PoolOptions): PagePool {
  const { host, gates, extraGate, createGate, maxQueue, makesAhead = false, log } = options;
  const size = gates.length;
  const allGates = extraGate === undefined ? gates : [...gates, extraGate];
  const free = new FreeSlots(
    allGates.map((gate) => createSlot({ gate, createGate, host, log })),
    () => (makesAhead ? Math.max(0, size - queue.count().busy) : 0), // no prepared page for the extra slot
  );
  const queue = new FairQueue<Slot>({
    size,
    hasExtraSlot: extraGate !== undefined,
    maxQueue,
    takeFree: () => free.take(),
    putFree: (slot) => free.put(slot),
  });
  const idleListeners = new Set<() => void>();
  const reservations = new Set<{ readonly slot: Slot }>();

  const giveBack = (client: string, slot: Slot, key?: KeyLimit): void => {
    queue.giveBack(client, slot, key);
    const { busy, waiting } = queue.count();
    if (waiting === 0) free.warmSoon();
    if (busy > 0) return;
    for (const listener of idleListeners) listener();
    idleListeners.clear();
  };

  /** Undefined without a reservation, or if the key is at its limit. */
  const takeReserved = (key: KeyLimit | undefined): Slot | undefined => {
    const [reservation] = reservations;
    if (reservation === undefined || !queue.useFor(key)) return undefined;
    reservations.delete(reservation);
    return reservation.slot;
  };

  host.onReplaced(() => free.renew());

  return {
    lease: async (destinations, signal, { isRetry = false, client = '', key } = {}) => {
      free.cancelWarm();
      const reserved = client === BACKGROUND && !signal.aborted ? takeReserved(key) : undefined;
      const slot = reserved ?? (await queue.take(client, signal, key));
      const onClosed = (): void => giveBack(client, slot, key);
      const prepareOthers = (): void => free.warm();
      try {
        return await openLease(slot, { destinations, signal, isRetry, prepareOthers, onClosed, log });
      } catch (error) {
        giveBack(client, slot, key);
        throw error;
      }
    },
    state: () => {
      const { busy, waiting } = queue.count();
      return { size, busy: busy - reservations.size, waiting };
    },
    keysAtLimit: () => queue.keysAtLimit(),
    isFull: () => queue.isFull(),
    quietMs: () => queue.quietMs(),
    isBackgroundDue: () => queue.isBackgroundDue(),
    reserve: async (signal) => {
      const slot = await queue.take(BACKGROUND, signal);
      const reservation = { slot };
      reservations.add(reservation);
      const release = (): void => {
        clearTimeout(timer);
        if (reservations.delete(reservation)) giveBack(BACKGROUND, slot);
      };
      const timer = setTimeout(release, RESERVED_MS).unref();
      return release;
    },
    refuseWhenFull: (client = '') => queue.refuseWhenFull(client),
    idle: async () => {
      if (queue.count().busy === 0) return;
      await new Promise<void>((resolve) => void idleListeners.add(resolve));
    },
  };
}
