import type { Capture } from './capture.ts';

export interface RunningCaptures {
  readonly capture: Capture;
  /** Resolves when none is running: at once, or when the last one has ended. */
  readonly idle: () => Promise<void>;
}

/**
 * Counts captures from their first try to their last. Between two tries a capture has no page: who asks the pool whether it is idle
 * would be told that it is, and close the service under the second one.
 */
export function countRunning(capture: Capture): RunningCaptures {
  let running = 0;
  const waiting = new Set<() => void>();

  return {
    capture: async (options, context) => {
      running++;
      try {
        return await capture(options, context);
      } finally {
        running--;
        if (running === 0) {
          for (const resolve of waiting) resolve();
          waiting.clear();
        }
      }
    },
    idle: async () => {
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    },
  };
}
