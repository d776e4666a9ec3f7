import type { Logger } from './log.ts';
import { withTimeout } from './timeouts.ts';

interface Closer {
  readonly name: string;
  readonly timeoutMs: number;
  readonly close: () => Promise<void>;
}

export interface Lifecycle {
  /** Registers a closer; closers run in the reverse order of their registration. */
  readonly onClose: (closer: Closer) => void;
  /** Runs every closer once, each bounded by its own time. Never throws: what fails is logged and the rest goes on. */
  readonly close: () => Promise<void>;
}

/** What must be undone at the end, undone in reverse order. */
export function createLifecycle(log: Logger): Lifecycle {
  const closers: Closer[] = [];
  let closing: Promise<void> | undefined;

  const runAll = async (): Promise<void> => {
    for (const { name, timeoutMs, close } of closers.toReversed()) {
      try {
        await withTimeout(close(), timeoutMs, () => new Error(`not closed within ${timeoutMs} ms`));
      } catch (error) {
        log.error({ err: error, part: name }, 'could not close cleanly');
      }
    }
  };

  return {
    onClose: (closer) => {
      closers.push(closer);
    },
    close: () => (closing ??= runAll()),
  };
}
