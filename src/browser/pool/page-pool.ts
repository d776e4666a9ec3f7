import type { Destinations } from '../../egress/destination.ts';
import type { Gate, GateSession } from '../../egress/gate/gate.ts';
import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { BrowserHost } from '../host/browser-host.ts';
import { BACKGROUND, createFairQueue } from './fair-queue.ts';
import type { NetworkLoss } from '../process/helper-processes.ts';
import type { Page } from '../page/page.ts';
import { createSlot, type Slot } from './slot.ts';

/** A page for one capture, in a slot of the pool. */
export interface PageLease {
  readonly page: Page;
  /** What the gate let through, and what not. */
  readonly gateSession: GateSession;
  /** True when the browser has lost its connections meanwhile: the page may have loaded half of what it should. */
  readonly isNetworkLost: NetworkLoss;
  /** Says that the capture mostly waits for the browser from here on: time for others to be made ready. */
  readonly ease: () => void;
  /** Ends every connection, closes the page and then gives the slot to the next in the queue. Returns at once. */
  readonly release: () => void;
}

interface LeaseOptions {
  /** Who asks: clients take turns. */
  readonly client?: string;
  /** True: no page made ahead, as whatever took the last one may have taken those too. */
  readonly isRetry?: boolean;
}

export interface PoolState {
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface PagePool {
  /**
   * Waits for a slot in the client's turn, and opens a page in it that may connect where `destinations` decides. The
   * caller releases the lease.
   * @throws ServiceError OverloadedError when too many wait, of all clients or of this one.
   */
  readonly lease: (
    destinations: Destinations,
    signal: AbortSignal,
    options?: LeaseOptions,
  ) => Promise<PageLease>;
  readonly state: () => PoolState;
  /** True while every slot is taken and the queue is full of clients that have no more waiting than others would. */
  readonly isFull: () => boolean;
  /** Milliseconds since anybody but the background had or wanted a slot; 0 while somebody does. */
  readonly quietMs: () => number;
  /** See `FairQueue`. */
  readonly isBackgroundDue: () => boolean;
  /**
   * Waits for a slot and keeps it for the next lease of the background, for a second at most.
   * @returns what releases the slot if no lease has taken it. Rejects with the reason of the signal.
   */
  readonly reserve: (signal: AbortSignal) => Promise<() => void>;
  /** For a caller that has work to do before its lease, which would be in vain. @throws ServiceError as `lease`. */
  readonly refuseWhenFull: (client?: string) => void;
  /** Resolves when every lease has been given back. */
  readonly idle: () => Promise<void>;
}

interface PoolOptions {
  readonly host: BrowserHost;
  /** One for each page that captures at once: a slot in the pool is a gate. */
  readonly gates: readonly Gate[];
  /** Of one page more, for the client that comes when another alone has all slots. */
  readonly extraGate?: Gate;
  /** Requests that may wait for a slot. */
  readonly maxQueue: number;
  /** Whether pages are made ahead, while there is time, and wait in free slots. */
  readonly makesAhead?: boolean;
  readonly log: Logger;
}

const REST_MS = 100;
const RESERVED_MS = 1_000; // a job store that hangs must not keep a slot from clients

/** Admission: a fixed number of slots, each with its gate, and a bounded queue in front of them. */
export function createPagePool(options: PoolOptions): PagePool {
  const { host, gates, extraGate, maxQueue, makesAhead = false, log } = options;
  const size = gates.length;
  const free = [...gates, ...(extraGate === undefined ? [] : [extraGate])].map((gate) =>
    createSlot({ gate, host, log }),
  );
  const idleListeners = new Set<() => void>();

  const queue = createFairQueue<Slot>({
    size,
    hasSpare: extraGate !== undefined,
    maxQueue,
    // One with a page that waits, if there is one.
    takeFree: () => {
      const index = free.findIndex((slot) => slot.hasWarmPage());
      const [slot] = free.splice(Math.max(index, 0), 1);
      if (slot === undefined) throw new Error('more slots are taken than exist');
      return slot;
    },
    putFree: (slot) => {
      free.push(slot);
    },
  });

  let restTimer: NodeJS.Timeout | undefined;

  const warmFree = (): void => {
    if (!makesAhead) return;
    const ready = Math.max(0, size - queue.count().busy); // none for the spare slot
    for (const slot of free.slice(0, ready)) slot.warm();
  };

  /** Not at once: the next capture may be here in a moment, and the two would only slow each other down. */
  const warmSoon = (): void => {
    clearTimeout(restTimer);
    restTimer = setTimeout(warmFree, REST_MS).unref();
  };

  const giveSlot = (client: string, slot: Slot): void => {
    queue.giveBack(client, slot);
    const { busy, waiting } = queue.count();
    if (waiting === 0) warmSoon();
    if (busy > 0) return;
    for (const listener of idleListeners) listener();
    idleListeners.clear();
  };

  const closePage = async (page: Page): Promise<void> => {
    try {
      await page.close();
    } catch (error) {
      log.error({ err: error }, 'closing a page failed');
    }
  };

  const openIn = async (
    slot: Slot,
    {
      destinations,
      signal,
      isRetry,
      client,
    }: Required<LeaseOptions> & { destinations: Destinations; signal: AbortSignal },
  ): Promise<PageLease> => {
    const budget = new AbortController();
    const gateSession = slot.gate.open(destinations, () => {
      budget.abort(new ServiceError('NavigationError', 'The page could not be loaded: it loads too much'));
    });
    try {
      const page = await slot.takePage(signal, isRetry);
      page.endWith(signal);
      page.endWith(budget.signal);
      let released = false;
      const release = (): void => {
        if (released) return;
        released = true;
        gateSession.close();
        void closePage(page).then(() => {
          giveSlot(client, slot);
        });
      };
      return { page, gateSession, isNetworkLost: page.isNetworkLost, ease: warmFree, release };
    } catch (error) {
      gateSession.close();
      throw error;
    }
  };

  const reservations = new Set<{ readonly slot: Slot }>();
  const takeReserved = (): Slot | undefined => {
    const [reservation] = reservations;
    if (reservation !== undefined) reservations.delete(reservation);
    return reservation?.slot;
  };

  host.onReplaced(() => {
    for (const slot of free) slot.dropStalePage();
    warmFree();
  });

  return {
    lease: async (destinations, signal, { isRetry = false, client = '' } = {}) => {
      clearTimeout(restTimer);
      const kept = client === BACKGROUND && !signal.aborted ? takeReserved() : undefined;
      const slot = kept ?? (await queue.take(client, signal));
      try {
        return await openIn(slot, { destinations, signal, isRetry, client });
      } catch (error) {
        giveSlot(client, slot);
        throw error;
      }
    },
    state: () => {
      const { busy, waiting } = queue.count();
      return { size, busy: busy - reservations.size, waiting };
    },
    isFull: queue.isFull,
    quietMs: queue.quietMs,
    isBackgroundDue: queue.isBackgroundDue,
    reserve: async (signal) => {
      const slot = await queue.take(BACKGROUND, signal);
      const reservation = { slot };
      reservations.add(reservation);
      const release = (): void => {
        clearTimeout(timer);
        if (reservations.delete(reservation)) giveSlot(BACKGROUND, slot);
      };
      const timer = setTimeout(release, RESERVED_MS).unref();
      return release;
    },
    refuseWhenFull: (client = '') => {
      queue.refuseWhenFull(client);
    },
    idle: async () => {
      if (queue.count().busy === 0) return;
      await new Promise<void>((resolve) => {
        idleListeners.add(resolve);
      });
    },
  };
}
