import { ServiceError } from '../../core/ground/errors.ts';
import type { Key, Quota } from '../../core/access/key.ts';
import { type Period, periodOf } from './usage-days.ts';
import { type Reservation, RESERVATION_MS, type Standing, type UsageStore } from './usage-store.ts';

/** Quota of a key in the current period, as of the last answer of the store. */
export interface QuotaState {
  readonly limit: number;
  /** Captures that were counted. */
  readonly used: number;
  /** Captures that are neither counted nor reserved. */
  readonly remaining: number;
  readonly resetsAtMs: number;
}

type KeyWithQuota = Key & { readonly quota: Quota };

/** Quotas of keys in the store. While the store fails, they continue with what this process knows. No call rejects. */
export interface Quotas {
  /** Reserves a capture. False: the quota is used up. */
  readonly reserve: (reservation: Reservation, limit: number) => Promise<boolean>;
  /** Ends a reservation in this process. The caller writes the end to the store. */
  readonly end: (reservation: Reservation, counted: 0 | 1) => void;
  /** Takes back a capture that was counted. */
  readonly takeBack: (key: string, period: string) => void;
  /** Returns the quota without a call of the store, if it is known. */
  readonly recent: (key: KeyWithQuota) => QuotaState | Promise<QuotaState>;
  /** Returns the quota after a call of the store. */
  readonly current: (key: KeyWithQuota) => Promise<QuotaState>;
  readonly close: () => void;
}

interface LastSeen extends Standing {
  readonly period: string;
  /** Time by the monotonic clock. */
  readonly atMs: number;
}

/** Age at which a known quota is read again, for the headers of answers that make no capture. */
const FRESH_MS = 1_000;

/** @param onResult called after a call of the store has failed, or has shown that the store can write */
export function createQuotas(
  store: UsageStore,
  onResult: (error?: unknown) => void,
  { now, monotonicNow }: { readonly now: () => number; readonly monotonicNow: () => number },
): Quotas {
  const known = new Map<string, LastSeen>();
  const periodNow = createPeriodClock(now);
  const own = createReservations(store.renew);

  const learn = (key: string, period: string, { used, held }: Standing): void => {
    known.set(key, { period, used, held, atMs: monotonicNow() });
  };
  /** The quota counts of a period as this process last saw them, with all of its own reservations. */
  const guess = (key: string, period: string): Standing => {
    const last = known.get(key);
    return { used: last?.period === period ? last.used : 0, held: own.count(key, period) };
  };
  const change = (key: string, period: string, by: Standing): void => {
    const last = known.get(key);
    if (last?.period !== period) return;
    const [used, held] = [Math.max(0, last.used + by.used), Math.max(0, last.held + by.held)];
    known.set(key, { ...last, used, held });
  };
  /**
   * True since a reservation failed. The store may still answer reads, for example on a full disk, but lacks what was
   * counted since.
   */
  let isWriteFailing = false;
  const current = async (key: KeyWithQuota): Promise<QuotaState> => {
    const { name, endsAtMs } = periodNow(key.quota.per);
    let standing: Standing;
    try {
      standing = await store.standing(key.id, name);
      if (isWriteFailing) {
        const { used, held } = guess(key.id, name);
        standing = { used: Math.max(used, standing.used), held: Math.max(held, standing.held) };
      }
    } catch (error) {
      onResult(error);
      standing = guess(key.id, name);
    }
    learn(key.id, name, standing);
    return toState(key, standing, endsAtMs);
  };

  return {
    current,
    reserve: async (reservation, limit) => {
      const { key, period } = reservation;
      try {
        const { isTaken, ...standing } = await store.reserve(reservation, limit);
        isWriteFailing = false;
        onResult();
        if (isTaken) own.add(reservation);
        learn(key, period, standing);
        return isTaken;
      } catch (error) {
        isWriteFailing = true;
        onResult(error);
        const { used, held } = guess(key, period);
        const isTaken = used + held < limit;
        if (isTaken) own.add(reservation);
        learn(key, period, guess(key, period));
        return isTaken;
      }
    },
    end: (reservation, counted) => {
      own.end(reservation);
      change(reservation.key, reservation.period, { used: counted, held: -1 });
    },
    takeBack: (key, period) => change(key, period, { used: -1, held: 0 }),
    recent: (key) => {
      const last = known.get(key.id);
      const { name, endsAtMs } = periodNow(key.quota.per);
      if (last?.period !== name) return current(key);
      if (monotonicNow() - last.atMs > FRESH_MS) {
        known.set(key.id, { ...last, atMs: monotonicNow() }); // one read for all requests of this second
        void current(key);
      }
      return toState(key, last, endsAtMs);
    },
    close: own.close,
  };
}

/**
 * Returns the current period. Reads the date once in a period, because each answer to a key with a quota has its end.
 */
function createPeriodClock(now: () => number): (per: Quota['per']) => Period {
  const periods = new Map<Quota['per'], Period>();
  return (per) => {
    const last = periods.get(per);
    if (last !== undefined && now() < last.endsAtMs) return last;
    const period = periodOf(per, now());
    periods.set(per, period);
    return period;
  };
}

export function hasQuota(key: Key): key is KeyWithQuota {
  return key.quota !== undefined;
}

/** Error for a key that has too few captures left, until its period ends. */
export function exceeded({ id, quota }: KeyWithQuota, nowMs: number, reason?: string): ServiceError {
  const limit = `The key ${id} may make ${quota.captures} captures per ${quota.per}`;
  const { endsAtMs } = periodOf(quota.per, nowMs);
  return new ServiceError('QuotaExceededError', undefined, {
    details: reason === undefined ? limit : `${reason}. ${limit}`,
    retryAfterSeconds: Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000)),
  });
}

function toState({ quota }: KeyWithQuota, { used, held }: Standing, resetsAtMs: number): QuotaState {
  const remaining = Math.max(0, quota.captures - used - held);
  return { limit: quota.captures, used, remaining, resetsAtMs };
}

/** Reservations of this process. */
interface Reservations {
  readonly add: (reservation: Reservation) => void;
  readonly end: (reservation: Reservation) => void;
  /** Number of reservations of a key in a period. */
  readonly count: (key: string, period: string) => number;
  readonly close: () => void;
}

/** Keeps the reservations of this process, and renews them while captures wait and run. */
function createReservations(renew: (all: readonly Reservation[]) => Promise<void>): Reservations {
  const held = new Map<string, Reservation>();
  const timer = setInterval(() => {
    // A store that is away has no use for them: they are counted here until it is back.
    if (held.size > 0) void renew([...held.values()]).catch(() => undefined);
  }, RESERVATION_MS / 3).unref();

  return {
    add: (reservation) => void held.set(reservation.id, reservation),
    end: ({ id }) => void held.delete(id),
    count: (key, period) => [...held.values()].filter((each) => each.key === key && each.period === period).length,
    close: () => clearInterval(timer),
  };
}
