import type { Logger } from '../ground/log.ts';
import { withTimeout } from '../ground/timeouts.ts';

interface Closer {
  readonly name: string;
  readonly timeoutMs: number;
  readonly close: () => Promise<void>;
}

export interface Lifecycle {
  /** Registers a closer. Closers run in reverse order of registration. */
  readonly onClose: (closer: Closer) => void;
  /** Runs every closer once, each with its own time limit. Never throws: logs failures and continues. */
  readonly close: () => Promise<void>;
}

/** Closes the parts of the service in reverse order of their creation. */
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
    onClose: (closer) => void closers.push(closer),
    close: () => (closing ??= runAll()),
  };
}
