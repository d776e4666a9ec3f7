import { raceAbort, reasonOf } from '../timeouts.ts';

/** Work under way, joined by everyone who wants the same. */
export interface Flights<T> {
  /**
   * Joins the work under this key, or starts it. Rejects as soon as the caller's signal fires, or with what the work itself rejects
   * with. Work started by another ends before the caller's own deadline would, as it began earlier.
   */
  readonly join: (key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

interface Flight<T> {
  readonly landing: Promise<T>;
  /** Fires when the last one has left. */
  readonly abandoned: AbortController;
  passengers: number;
}

/** Does the same work once for all who ask for it at the same time. It is given up only when all of them have gone away. */
export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>();

  const takeOff = (key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const abandoned = new AbortController();
    const flight = { landing: start(abandoned.signal), abandoned, passengers: 0 };
    flights.set(key, flight);
    const land = (): void => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.landing.then(land, land);
    return flight;
  };

  return {
    join: async (key, signal, start) => {
      if (signal.aborted) throw reasonOf(signal);
      const flight = flights.get(key) ?? takeOff(key, start);
      flight.passengers++;
      try {
        return await raceAbort(flight.landing, signal);
      } finally {
        flight.passengers--;
        if (flight.passengers === 0 && flights.get(key) === flight) {
          flights.delete(key); // who comes now starts anew
          flight.abandoned.abort(signal.reason);
        }
      }
    },
  };
}
