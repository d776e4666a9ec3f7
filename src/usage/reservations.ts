import type { Reservation } from './usage-store.ts';
import { RESERVATION_MS } from './usage-store.ts';

/** Reservations of this process. */
export interface Reservations {
  readonly add: (reservation: Reservation) => void;
  readonly end: (reservation: Reservation) => void;
  /** Number of reservations of a key in a period. */
  readonly count: (key: string, period: string) => number;
  readonly close: () => void;
}

/** Keeps the reservations of this process, and renews them while captures wait and run. */
export function createReservations(renew: (all: readonly Reservation[]) => Promise<void>): Reservations {
  const held = new Map<string, Reservation>();
  const timer = setInterval(() => {
    // A store that is away has no use for them: they are counted here until it is back.
    if (held.size > 0) void renew([...held.values()]).catch(() => undefined);
  }, RESERVATION_MS / 3).unref();

  return {
    add: (reservation) => void held.set(reservation.id, reservation),
    end: ({ id }) => void held.delete(id),
    count: (key, period) =>
      [...held.values()].filter((each) => each.key === key && each.period === period).length,
    close: () => clearInterval(timer),
  };
}
