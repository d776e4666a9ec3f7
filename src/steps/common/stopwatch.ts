/** Phases of a capture, as in Server-Timing. */
export const PHASES = ['queue', 'navigate', 'ahead', 'wait', 'render'] as const;
export type Phase = (typeof PHASES)[number];

export interface Stopwatch {
  /** Adds the time since the last lap to a phase. */
  readonly lap: (phase: Phase) => void;
  /** Milliseconds of each phase; 0 if it was not reached. */
  readonly laps: () => Readonly<Record<Phase, number>>;
}

/** Creates a stopwatch and starts it. */
export function createStopwatch(now: () => number = () => performance.now()): Stopwatch {
  const times: Record<Phase, number> = { queue: 0, navigate: 0, ahead: 0, wait: 0, render: 0 };
  let last = now();
  return {
    lap: (phase) => {
      const current = now();
      times[phase] += current - last;
      last = current;
    },
    laps: () => ({ ...times }),
  };
}
