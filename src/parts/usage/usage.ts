import { randomUUID } from 'node:crypto';
import type { CaptureAnswer } from '../../core/capture/capture.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { Key } from '../../core/access/key.ts';
import type { Logger } from '../../core/ground/log.ts';
import { asError } from '../../core/ground/timeouts.ts';
import { createQuotas, exceeded, hasQuota, type QuotaState } from './quotas.ts';
import { type Counters, dayOf, type DayUsage, oldestDay, periodOf } from './usage-days.ts';
import type { Reservation, UsageStore } from './usage-store.ts';
import { createWriteBehind } from './write-behind.ts';

/** A capture before it is made. One of the calls must follow. Neither rejects. */
export interface ReservedCapture {
  /**
   * Counts the capture with this result. `bytes`: size of the answer, if it is not the file. Resolves when it is
   * written.
   */
  readonly count: (file: Buffer, bytes?: number) => Promise<void>;
  readonly giveBack: () => Promise<void>;
}

/** The members of an answer that decide whether it was counted. */
type CountedAnswer = Pick<CaptureAnswer, 'file' | 'caching'>;

/** How a capture was counted. */
interface Counted {
  readonly day: string;
  readonly bytes: number;
  /** Undefined: the key had no quota. */
  readonly period: string | undefined;
}

export interface Usage {
  /**
   * Reserves a capture for the quota of the key.
   * @throws ServiceError QuotaExceededError
   */
  readonly reserve: (key: Key) => Promise<ReservedCapture>;
  /**
   * Refuses more captures than the quota of the key has left.
   * @throws ServiceError QuotaExceededError
   */
  readonly refuseOver: (key: Key | undefined, captures: number) => Promise<void>;
  /** Adds counters of today, which are written up to 250 ms later. */
  readonly count: (keyId: string, add: Partial<Counters>) => void;
  /**
   * Counts a capture that this request has made as something else: as a cached answer, because the client had the same
   * bytes, or as a failed one, because its result could not be stored or sent and is in no cache. Call it once. Does
   * not reject.
   */
  readonly countAs: (as: 'cached' | 'failed', key: Key | undefined, answer: CountedAnswer) => Promise<void>;
  /**
   * Returns the quota without a call of the store, if it is known. Undefined: the key has no quota. Does not reject.
   */
  readonly recentQuota: (key: Key) => QuotaState | Promise<QuotaState> | undefined;
  /** Returns the quota after a call of the store. Does not reject. */
  readonly currentQuota: (key: Key) => Promise<QuotaState | undefined>;
  /**
   * Returns the days that have a counter, with all that this process has counted.
   * @throws ServiceError StorageError
   */
  readonly read: (keyId: string, from: string, to: string) => Promise<readonly DayUsage[]>;
  readonly close: () => Promise<void>;
}

/** Counts captures per key. While the store fails, this process counts in memory, and writes it later. */
export function createUsage(
  store: UsageStore,
  log: Logger,
  now: () => number = Date.now,
  monotonicNow: () => number = () => performance.now(),
): Usage {
  const reportResult = createReport(log);
  const writer = createWriteBehind(store.write, reportResult);
  const quotas = createQuotas(store, reportResult, { now, monotonicNow });
  /** How the results of captures were counted, so that a capture over midnight is taken back where it was counted. */
  const countedOf = new WeakMap<Buffer, Counted>();

  return {
    reserve: async (key) => {
      const day = dayOf(now()); // a capture over midnight counts for the day of its reservation
      const countOn = (file: Buffer, bytes = file.length, reservation?: Reservation): Promise<void> => {
        countedOf.set(file, { day, bytes, period: reservation?.period });
        return writer.add(key.id, day, { captures: 1, bytes }, reservation);
      };
      if (!hasQuota(key)) return { count: countOn, giveBack: async () => undefined };
      const { captures: limit, per } = key.quota;
      const reservation = { id: randomUUID(), key: key.id, period: periodOf(per, now()).name };
      if (!(await quotas.reserve(reservation, limit))) throw exceeded(key, now());
      return {
        count: (file, bytes) => {
          quotas.end(reservation, 1);
          return countOn(file, bytes, reservation);
        },
        giveBack: () => {
          quotas.end(reservation, 0);
          return writer.add(key.id, day, {}, reservation);
        },
      };
    },
    refuseOver: async (key, captures) => {
      if (key === undefined || !hasQuota(key)) return;
      const { remaining } = await quotas.current(key);
      if (captures <= remaining) return;
      throw exceeded(key, now(), `The request has ${captures} captures, and ${remaining} are left`);
    },
    count: (keyId, add) => writer.addLater(keyId, dayOf(now()), add),
    countAs: async (as, key, { file, caching }) => {
      if (as === 'failed' && caching !== undefined) return; // the client can fetch it from the cache
      if (key === undefined || caching?.isHit === true || caching?.isShared === true) return; // it was not counted
      const counted = countedOf.get(file);
      if (counted === undefined) return; // the client left before
      countedOf.delete(file);
      if (counted.period !== undefined) quotas.takeBack(key.id, counted.period);
      await writer.add(key.id, counted.day, { captures: -1, [as]: 1, bytes: -counted.bytes });
    },
    recentQuota: (key) => (hasQuota(key) ? quotas.recent(key) : undefined),
    currentQuota: async (key) => (hasQuota(key) ? await quotas.current(key) : undefined),
    read: async (keyId, from, to) => {
      await writer.flush();
      try {
        const oldest = oldestDay(now()); // a store may have older ones that have not expired yet
        return (await store.read(keyId, from, to)).filter(({ date }) => date >= oldest);
      } catch (error) {
        throw new ServiceError('StorageError', 'The usage cannot be read', {
          details: 'The store of usage does not answer. Captures are counted meanwhile',
          cause: error,
        });
      }
    },
    close: async () => {
      quotas.close();
      await writer.close();
      await store.close();
    },
  };
}

/** Logs once that the store fails, and once that it answers again. */
function createReport(log: Logger): (error?: unknown) => void {
  let isAway = false;
  return (error) => {
    if (error === undefined && isAway) log.info('the store of usage and quotas answers again');
    if (error !== undefined && !isAway) {
      const { message: reason } = asError(error);
      log.warn({ reason }, 'the store of usage and quotas fails: this instance counts in memory until it answers');
    }
    isAway = error !== undefined;
  };
}

/** What parts that count usage share. */
export interface UsageState {
  /** Counters and quotas of keys. Undefined without KEYS_FILE. */
  readonly usage: Usage | undefined;
}
