import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { raceAbort, reasonOf } from '../race.ts';
import type { BrowserHost } from './browser-host.ts';
import type { Page } from './page.ts';

/** A page for one capture, with its place in the pool. */
interface PageLease {
  readonly page: Page;
  /** Closes the page and, once it is closed, gives the place to the next in the queue. Returns at once. */
  readonly release: () => void;
}

export interface PoolState {
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface PagePool {
  /**
   * Waits for a place, first come first served, and opens a page in it. The caller releases the lease.
   * @throws ServiceError OverloadedError when the queue is full.
   */
  readonly lease: (signal: AbortSignal) => Promise<PageLease>;
  readonly state: () => PoolState;
  readonly isFull: () => boolean;
  /** Resolves when every lease has been given back. */
  readonly idle: () => Promise<void>;
}

interface PoolOptions {
  readonly host: BrowserHost;
  /** Pages that capture at once. */
  readonly size: number;
  /** Requests that may wait for a place. */
  readonly maxQueue: number;
  readonly log: Logger;
}

/** Admission: a fixed number of places, and a bounded queue in front of them. */
export function createPagePool({ host, size, maxQueue, log }: PoolOptions): PagePool {
  const waiting = new Set<() => void>(); // insertion order is the queue; a waiter removes itself, whoever it is
  const idleListeners = new Set<() => void>();
  let busy = 0;

  const takePlace = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) throw reasonOf(signal);
    if (busy < size) {
      busy++;
      return;
    }
    if (waiting.size >= maxQueue) {
      throw new ServiceError('OverloadedError', 'Too many captures are waiting', { retryAfterSeconds: 1 });
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(admit);
        reject(reasonOf(signal));
      };
      const admit = (): void => {
        waiting.delete(admit);
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      waiting.add(admit);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };

  /** Hands the place on to the first waiter, or frees it. */
  const givePlace = (): void => {
    const [next] = waiting;
    if (next !== undefined) {
      next();
      return;
    }
    busy--;
    if (busy > 0) return;
    for (const listener of idleListeners) listener();
    idleListeners.clear();
  };

  const closeThenGivePlace = async (page: Page): Promise<void> => {
    try {
      await page.close();
    } catch (error) {
      log.error({ err: error }, 'closing a page failed');
    } finally {
      givePlace();
    }
  };

  const closeLate = (page: Page): void => {
    page.close().catch((error: unknown) => {
      log.warn({ err: error }, 'closing a page that came too late failed');
    });
  };

  return {
    lease: async (signal) => {
      await takePlace(signal);
      try {
        const page = await raceAbort(host.openPage(signal), signal, closeLate);
        page.endWith(signal);
        let released = false;
        return {
          page,
          release: () => {
            if (released) return;
            released = true;
            void closeThenGivePlace(page);
          },
        };
      } catch (error) {
        givePlace();
        throw error;
      }
    },
    state: () => ({ size, busy, waiting: waiting.size }),
    isFull: () => waiting.size >= maxQueue && busy >= size,
    idle: async () => {
      if (busy === 0) return;
      await new Promise<void>((resolve) => {
        idleListeners.add(resolve);
      });
    },
  };
}
