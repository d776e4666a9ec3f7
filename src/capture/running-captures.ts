import type { Capture } from './capture.ts';

export interface RunningCaptures {
  readonly capture: Capture;
  /** Counts work that belongs to a capture as a part of it, such as storing its result. */
  readonly countAsRunning: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when no capture runs. */
  readonly idle: () => Promise<void>;
}

/**
 * Counts captures from the first attempt to the last. Between two attempts a capture has no page, so the pool would report that it is
 * idle and the service would close too early.
 */
export function countRunning(capture: Capture): RunningCaptures {
  let running = 0;
  const waiting = new Set<() => void>();
  const countAsRunning: RunningCaptures['countAsRunning'] = async (work) => {
    running++;
    try {
      return await work();
    } finally {
      running--;
      if (running === 0) {
        for (const resolve of waiting) resolve();
        waiting.clear();
      }
    }
  };

  return {
    capture: (options, context) => countAsRunning(() => capture(options, context)),
    countAsRunning,
    idle: async () => {
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    },
  };
}
