import { errorTypeOf, type Span } from '../../ground/tracer.ts';

/** Phases of a capture, as in Server-Timing. */
export const PHASES = ['queue', 'navigate', 'ahead', 'wait', 'render'] as const;
export type Phase = (typeof PHASES)[number];
/** Parts of a capture in a trace. */
type Part = Exclude<Phase, 'ahead'> | 'run_ahead' | 'encode';

export interface Stopwatch {
  /** Names the part that begins, so that a trace shows where a capture failed. */
  readonly enter: (part: Part) => void;
  /** Adds the time since the last lap to a phase. In a trace, it is that of `part`. */
  readonly lap: (phase: Phase, part?: Part) => void;
  /** Milliseconds of each phase; 0 if it was not reached. */
  readonly laps: () => Readonly<Record<Phase, number>>;
  /** Waits for work, then ends the last part of the trace. If the work fails, the part that was entered has failed. */
  readonly time: <T>(work: Promise<T>) => Promise<T>;
}

interface StopwatchOptions {
  readonly now?: () => number;
  /** Gets a part for each time between laps. Laps of one part in a row are one. */
  readonly span?: Pick<Span, 'add'> | undefined;
}

/** Creates a stopwatch and starts it. */
export function createStopwatch({ now = () => performance.now(), span }: StopwatchOptions = {}): Stopwatch {
  const times: Record<Phase, number> = { queue: 0, navigate: 0, ahead: 0, wait: 0, render: 0 };
  let last = now();
  let entered: Part = 'queue';
  let open: { readonly part: Part; readonly startMs: number } | undefined;

  const close = (): void => {
    if (open !== undefined) span?.add(open.part, { startMs: open.startMs, endMs: last });
    open = undefined;
  };
  return {
    enter: (part) => {
      entered = part;
    },
    lap: (phase, part = phase === 'ahead' ? 'run_ahead' : phase) => {
      const current = now();
      times[phase] += current - last;
      if (span !== undefined && open?.part !== part) {
        close();
        open = { part, startMs: last };
      }
      last = current;
    },
    laps: () => ({ ...times }),
    time: async (work) => {
      try {
        return await work;
      } catch (error) {
        close();
        span?.add(entered, { startMs: last, endMs: now() }, errorTypeOf(error));
        throw error;
      } finally {
        close();
      }
    },
  };
}
