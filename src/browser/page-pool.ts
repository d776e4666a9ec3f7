import type { Destinations } from '../egress/destination.ts';
import type { Gate, GatePass } from '../egress/gate.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { reasonOf } from '../race.ts';
import type { BrowserHost } from './browser-host.ts';
import type { NetworkLoss } from './network-service.ts';
import type { Page } from './page.ts';
import { createSlot, type Slot } from './slot.ts';

/** A page for one capture, in a place of the pool. */
export interface PageLease {
  readonly page: Page;
  /** What the gate let through, and what not. */
  readonly pass: GatePass;
  /** True when the browser has lost its connections meanwhile: the page may have loaded half of what it should. */
  readonly isNetworkLost: NetworkLoss;
  /** Says that the capture mostly waits for the browser from here on: time for others to be made ready. */
  readonly ease: () => void;
  /** Ends every connection, closes the page and then gives the place to the next in the queue. Returns at once. */
  readonly release: () => void;
}

interface LeaseOptions {
  /** True: no page made ahead, as whatever took the last one may have taken those too. */
  readonly fresh?: boolean;
}

export interface PoolState {
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface PagePool {
  /**
   * Waits for a place, first come first served, and opens a page in it that may connect where `destinations` decides. The
   * caller releases the lease.
   * @throws ServiceError OverloadedError when the queue is full.
   */
  readonly lease: (
    destinations: Destinations,
    signal: AbortSignal,
    options?: LeaseOptions,
  ) => Promise<PageLease>;
  readonly state: () => PoolState;
  readonly isFull: () => boolean;
  /** For a caller that has work to do before its lease, which would be in vain. @throws ServiceError as `lease`. */
  readonly refuseWhenFull: () => void;
  /** Resolves when every lease has been given back. */
  readonly idle: () => Promise<void>;
}

interface PoolOptions {
  readonly host: BrowserHost;
  /** One for each page that captures at once: a place in the pool is a gate. */
  readonly gates: readonly Gate[];
  /** Requests that may wait for a place. */
  readonly maxQueue: number;
  /** Whether pages are made ahead, while there is time, and wait in free places. */
  readonly makesAhead?: boolean;
  readonly log: Logger;
}

const REST_MS = 100;

/** Admission: a fixed number of places, each with its gate, and a bounded queue in front of them. */
export function createPagePool({ host, gates, maxQueue, makesAhead = false, log }: PoolOptions): PagePool {
  const free = gates.map((gate) => createSlot({ gate, host, log }));
  const waiting = new Set<(slot: Slot) => void>(); // insertion order is the queue; a waiter removes itself, whoever it is
  const idleListeners = new Set<() => void>();

  /** A place with a page that waits, if there is one. */
  const takeFree = (): Slot | undefined => {
    const index = free.findIndex((slot) => slot.hasWarmPage());
    return free.splice(Math.max(index, 0), 1)[0];
  };

  const isFull = (): boolean => waiting.size >= maxQueue && free.length === 0;
  const refuseWhenFull = (): void => {
    if (!isFull()) return;
    throw new ServiceError('OverloadedError', 'Too many captures are waiting', { retryAfterSeconds: 1 });
  };

  const takePlace = async (signal: AbortSignal): Promise<Slot> => {
    if (signal.aborted) throw reasonOf(signal);
    const slot = takeFree();
    if (slot !== undefined) return slot;
    refuseWhenFull();
    return await new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(admit);
        reject(reasonOf(signal));
      };
      const admit = (freed: Slot): void => {
        waiting.delete(admit);
        signal.removeEventListener('abort', onAbort);
        resolve(freed);
      };
      waiting.add(admit);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };

  let restTimer: NodeJS.Timeout | undefined;

  const warmFree = (): void => {
    if (!makesAhead) return;
    for (const slot of free) slot.warm();
  };

  /** Not at once: the next capture may be here in a moment, and the two would only slow each other down. */
  const warmSoon = (): void => {
    clearTimeout(restTimer);
    restTimer = setTimeout(warmFree, REST_MS).unref();
  };

  /** Hands the place on to the first waiter, or frees it. */
  const givePlace = (slot: Slot): void => {
    const [next] = waiting;
    if (next !== undefined) {
      next(slot);
      return;
    }
    free.push(slot);
    warmSoon();
    if (free.length < gates.length) return;
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
      fresh,
    }: Required<LeaseOptions> & { destinations: Destinations; signal: AbortSignal },
  ): Promise<PageLease> => {
    const budget = new AbortController();
    const pass = slot.gate.open(destinations, () => {
      budget.abort(new ServiceError('NavigationError', 'The page could not be loaded: it loads too much'));
    });
    try {
      const page = await slot.takePage(signal, fresh);
      page.endWith(signal);
      page.endWith(budget.signal);
      let released = false;
      const release = (): void => {
        if (released) return;
        released = true;
        pass.close();
        void closePage(page).then(() => {
          givePlace(slot);
        });
      };
      return { page, pass, isNetworkLost: page.isNetworkLost, ease: warmFree, release };
    } catch (error) {
      pass.close();
      throw error;
    }
  };

  host.onReplaced(() => {
    for (const slot of free) slot.dropStalePage();
    warmFree();
  });

  return {
    lease: async (destinations, signal, { fresh = false } = {}) => {
      clearTimeout(restTimer);
      const slot = await takePlace(signal);
      try {
        return await openIn(slot, { destinations, signal, fresh });
      } catch (error) {
        givePlace(slot);
        throw error;
      }
    },
    state: () => ({ size: gates.length, busy: gates.length - free.length, waiting: waiting.size }),
    isFull,
    refuseWhenFull,
    idle: async () => {
      if (free.length === gates.length) return;
      await new Promise<void>((resolve) => {
        idleListeners.add(resolve);
      });
    },
  };
}
