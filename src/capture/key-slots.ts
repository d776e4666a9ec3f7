import { ServiceError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import { raceAbort } from '../timeouts.ts';

/** Captures of one key that may wait for its other captures. */
const MAX_WAITING = 1_000;

interface Slots {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Limits the captures of each key to its `concurrency`. The oldest waiting capture is next. */
export interface KeySlots {
  /**
   * Waits until the key may run one more capture. Returns a function that ends it.
   * @throws ServiceError OverloadedError if too many captures wait; the reason of the signal
   */
  readonly take: (
    key: Pick<Key, 'id' | 'concurrency'> | undefined,
    signal: AbortSignal,
  ) => Promise<() => void>;
}

export function createKeySlots(): KeySlots {
  const byKey = new Map<string, Slots>();
  const release = (id: string, slots: Slots): void => {
    const [next] = slots.waiting;
    if (next !== undefined) next();
    else if (--slots.running === 0) byKey.delete(id);
  };

  return {
    take: async (key, signal) => {
      if (key?.concurrency === undefined) return () => undefined;
      const { id, concurrency } = key;
      const slots = byKey.get(id) ?? { running: 0, waiting: new Set() };
      byKey.set(id, slots);
      if (slots.running < concurrency) slots.running++;
      else await join(slots, signal, () => release(id, slots));
      return () => release(id, slots);
    },
  };
}

/** Waits for the slot of another capture of the key. Passes the slot on if the signal fires at the same time. */
async function join({ waiting }: Slots, signal: AbortSignal, passOn: () => void): Promise<void> {
  if (waiting.size >= MAX_WAITING) {
    throw new ServiceError('OverloadedError', 'Too many captures of this key are waiting', {
      retryAfterSeconds: 1,
    });
  }
  const turn = Promise.withResolvers<void>();
  const next = (): void => {
    waiting.delete(next);
    turn.resolve();
  };
  waiting.add(next);
  try {
    await raceAbort(turn.promise, signal);
  } catch (error) {
    if (!waiting.delete(next)) passOn();
    throw error;
  }
}
