import type { Destinations } from '../egress/destination.ts';
import type { Gate, GatePass } from '../egress/gate.ts';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { raceAbort, reasonOf } from '../race.ts';
import type { BrowserHost } from './browser-host.ts';
import type { Page } from './page.ts';

/** A page for one capture, in a place of the pool. */
export interface PageLease {
  readonly page: Page;
  /** What the gate let through, and what not. */
  readonly pass: GatePass;
  /** Ends every connection, closes the page and then gives the place to the next in the queue. Returns at once. */
  readonly release: () => void;
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
  readonly lease: (destinations: Destinations, signal: AbortSignal) => Promise<PageLease>;
  readonly state: () => PoolState;
  readonly isFull: () => boolean;
  /** Resolves when every lease has been given back. */
  readonly idle: () => Promise<void>;
}

interface PoolOptions {
  readonly host: BrowserHost;
  /** One for each page that captures at once: a place in the pool is a gate. */
  readonly gates: readonly Gate[];
  /** Requests that may wait for a place. */
  readonly maxQueue: number;
  readonly log: Logger;
}

/** Admission: a fixed number of places, each with its gate, and a bounded queue in front of them. */
export function createPagePool({ host, gates, maxQueue, log }: PoolOptions): PagePool {
  const free = [...gates];
  const waiting = new Set<(gate: Gate) => void>(); // insertion order is the queue; a waiter removes itself, whoever it is
  const idleListeners = new Set<() => void>();

  const takePlace = async (signal: AbortSignal): Promise<Gate> => {
    if (signal.aborted) throw reasonOf(signal);
    const gate = free.pop();
    if (gate !== undefined) return gate;
    if (waiting.size >= maxQueue) {
      throw new ServiceError('OverloadedError', 'Too many captures are waiting', { retryAfterSeconds: 1 });
    }
    return await new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(admit);
        reject(reasonOf(signal));
      };
      const admit = (freed: Gate): void => {
        waiting.delete(admit);
        signal.removeEventListener('abort', onAbort);
        resolve(freed);
      };
      waiting.add(admit);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };

  /** Hands the place on to the first waiter, or frees it. */
  const givePlace = (gate: Gate): void => {
    const [next] = waiting;
    if (next !== undefined) {
      next(gate);
      return;
    }
    free.push(gate);
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

  const openIn = async (gate: Gate, destinations: Destinations, signal: AbortSignal): Promise<PageLease> => {
    const budget = new AbortController();
    const pass = gate.open(destinations, () => {
      budget.abort(new ServiceError('NavigationError', 'The page could not be loaded: it loads too much'));
    });
    try {
      const opening = host.openPage(gate.port, signal);
      const page = await raceAbort(opening, signal, (late) => void closePage(late));
      page.endWith(signal);
      page.endWith(budget.signal);
      let released = false;
      const release = (): void => {
        if (released) return;
        released = true;
        pass.close();
        void closePage(page).then(() => {
          givePlace(gate);
        });
      };
      return { page, pass, release };
    } catch (error) {
      pass.close();
      throw error;
    }
  };

  return {
    lease: async (destinations, signal) => {
      const gate = await takePlace(signal);
      try {
        return await openIn(gate, destinations, signal);
      } catch (error) {
        givePlace(gate);
        throw error;
      }
    },
    state: () => ({ size: gates.length, busy: gates.length - free.length, waiting: waiting.size }),
    isFull: () => waiting.size >= maxQueue && free.length === 0,
    idle: async () => {
      if (free.length === gates.length) return;
      await new Promise<void>((resolve) => {
        idleListeners.add(resolve);
      });
    },
  };
}
