import type { Capture } from './capture.ts';

export interface RunningCaptures {
  readonly capture: Capture;
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
