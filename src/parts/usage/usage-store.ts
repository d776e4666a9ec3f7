import type { Counters, DayUsage } from './usage-days.ts';

/** The right to make one capture, until it is counted or given back. */
export interface Reservation {
  readonly id: string;
  readonly key: string;
  /** Name of the period whose quota it uses. */
  readonly period: string;
}

/** A quota in the store. */
export interface Standing {
  /** Captures that were counted in the period. */
  readonly used: number;
  /** Reservations that have neither ended nor expired, of all instances. */
  readonly held: number;
}

/** A change of the counters of one key and day. */
export interface UsageChange {
  readonly key: string;
  readonly day: string;
  readonly add: Partial<Counters>;
  /** Reservations that end with this change. */
  readonly ended: readonly Reservation[];
}

/** Changes that are written together. A batch that is written again has no effect. */
export interface UsageBatch {
  readonly id: string;
  readonly changes: readonly UsageChange[];
}

/**
 * Counters per key and UTC day, and reservations of quotas. Reservations of a killed process expire after
 * `RESERVATION_MS`. All methods reject if the store fails.
 */
export interface UsageStore {
  /**
   * Adds the reservation if fewer than `limit` captures are used and reserved. The returned counts include the
   * reservation.
   */
  readonly reserve: (reservation: Reservation, limit: number) => Promise<Standing & { readonly isTaken: boolean }>;
  readonly standing: (key: string, period: string) => Promise<Standing>;
  /** Extends reservations of this process. */
  readonly renew: (reservations: readonly Reservation[]) => Promise<void>;
  readonly write: (batch: UsageBatch) => Promise<void>;
  /** Returns the days from `from` to `to` that have a counter, in order. */
  readonly read: (key: string, from: string, to: string) => Promise<readonly DayUsage[]>;
  readonly close: () => Promise<void>;
}

/** Lifetime of a reservation that is not renewed. */
export const RESERVATION_MS = 30_000;
