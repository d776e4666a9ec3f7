/** The parts of a capture, as in Server-Timing. */
export const PHASES = ['queue', 'navigate', 'ahead', 'wait', 'render'] as const;
export type Phase = (typeof PHASES)[number];

export interface Stopwatch {
  /** Books the time since the last lap, or the start, on a phase. */
  readonly lap: (phase: Phase) => void;
  /** Milliseconds for each phase, 0 where it was not reached. */
  readonly laps: () => Readonly<Record<Phase, number>>;
}

/** Runs from its creation. */
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
