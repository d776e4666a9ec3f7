import { ServiceError } from '../../core/ground/errors.ts';
import type { MemoryBudget } from '../../core/ground/memory-budget.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { unlessKilled } from '../../core/processes/call-once.ts';
import { createCalls } from '../../core/processes/peer-calls.ts';
import { isOutOfMemory, startProcess } from '../../core/processes/peers.ts';
import { FairQueue } from '../../core/queue/fair-queue.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import type { CompareAnswer, CompareCall, Compared, ComparedTexts } from './compare-call.ts';

const PROCESS = new URL('compare-process', import.meta.url);
/** Comparisons that wait for the process. */
const MAX_WAITING = 50;
/** JavaScript memory of the process. Pictures are outside of it. */
const MAX_HEAP_MB = 512;
/** An idle process has 100 MB, and after a large comparison 280 MB. */
const IDLE_MS = 60_000;

/** Compares pictures outside of the event loop. */
export interface Compare {
  /**
   * @param client shares the process fairly
   * @throws ServiceError NotComparableError; ValidationError for a selector that is not valid; TimeoutError;
   *   OverloadedError if too many wait, or memory is missing; the signal's reason
   */
  readonly pictures: (call: CompareCall, client: string, signal: AbortSignal) => Promise<Compared>;
  /** Compares texts by their lines. Waits and throws like `pictures`. */
  readonly texts: (before: string, after: string, client: string, signal: AbortSignal) => Promise<ComparedTexts>;
  readonly close: () => Promise<void>;
}

interface CompareOptions extends Pick<Metrics, 'recordComparison'> {
  /** Holds the pictures of the process. */
  readonly budget: MemoryBudget;
}

/** Creates the comparison. Its process starts with the first call, and ends after a minute without one. */
export function createCompare({ recordComparison, budget }: CompareOptions): Compare {
  const queue = new FairQueue<void>({
    size: 1,
    hasExtraSlot: false,
    maxQueue: MAX_WAITING,
    takeFree: () => undefined,
    putFree: () => undefined,
    waitingName: 'comparisons',
  });
  const calls = createCalls({
    name: 'the process of comparisons',
    start: () => startProcess(PROCESS, { execArgv: ['--expose-gc', `--max-old-space-size=${MAX_HEAP_MB}`] }),
  });
  let idle: NodeJS.Timeout | undefined;

  /** The result is of no use to a client that left, and others wait for the process. */
  const stop = (): void => void calls.kill();

  /** Opens and compares. The pictures are in the budget while the process holds them. */
  const run = async (call: CompareCall, signal: AbortSignal): Promise<Compared> => {
    signal.throwIfAborted();
    const opened: CompareAnswer<{ readonly bytes: number }> = await calls.call('open', [call]);
    const { bytes } = valueOf(opened);
    if (bytes > budget.limitBytes) throw notComparable('the two pictures need more memory than the service has');
    if (!budget.take(bytes)) {
      throw new ServiceError('OverloadedError', 'Too little memory is free to compare pictures of this size', {
        retryAfterSeconds: 1,
      });
    }
    try {
      const compared: CompareAnswer<Compared> = await calls.call('compare', []);
      return valueOf(compared);
    } finally {
      budget.give(bytes);
    }
  };

  const runTexts = async (texts: readonly [string, string], signal: AbortSignal): Promise<ComparedTexts> => {
    signal.throwIfAborted();
    const compared: CompareAnswer<ComparedTexts> = await calls.call('texts', texts);
    return valueOf(compared);
  };

  const inProcess = async <T>(
    work: (ended: AbortSignal) => Promise<T>,
    client: string,
    signal: AbortSignal,
  ): Promise<T> => {
    await queue.take(client, signal);
    clearTimeout(idle);
    const limit = new AbortController();
    const ended = AbortSignal.any([signal, limit.signal]);
    ended.addEventListener('abort', stop);
    const late = (): Error => {
      const error = new ServiceError('TimeoutError', `The comparison took longer than ${LIMIT_MS.comparison} ms`);
      limit.abort(error);
      return error;
    };
    try {
      const comparing = unlessKilled(() => work(ended));
      return await withTimeout(comparing, LIMIT_MS.comparison, late);
    } catch (error) {
      signal.throwIfAborted();
      throw isOutOfMemory(error) ? notComparable('the pictures need too much memory') : error;
    } finally {
      ended.removeEventListener('abort', stop);
      idle = setTimeout(stop, IDLE_MS).unref();
      queue.giveBack(client, undefined);
    }
  };

  const counted = createCounter(recordComparison);
  return {
    pictures: async (call, client, signal) =>
      await counted(
        ({ regions }) => regions.length > 0,
        inProcess((ended) => run(call, ended), client, signal),
      ),
    texts: async (before, after, client, signal) =>
      await counted(
        ({ changes }) => changes.length > 0,
        inProcess((ended) => runTexts([before, after], ended), client, signal),
      ),
    close: async () => {
      clearTimeout(idle);
      await calls.kill();
    },
  };
}

/** Returns a function that counts a comparison, and how long it took. */
function createCounter(recordComparison: CompareOptions['recordComparison']) {
  return async <T>(hasChanged: (result: T) => boolean, comparing: Promise<T>): Promise<T> => {
    const start = performance.now();
    const record = (outcome: 'equal' | 'changed' | 'failed'): void =>
      recordComparison({ outcome, seconds: (performance.now() - start) / 1_000 });
    try {
      const result = await comparing;
      record(hasChanged(result) ? 'changed' : 'equal');
      return result;
    } catch (error) {
      record('failed');
      throw error;
    }
  };
}

function valueOf<T>(answer: CompareAnswer<T>): T {
  if ('value' in answer) return answer.value;
  if ('invalid' in answer) throw new ServiceError('ValidationError', undefined, { details: answer.invalid });
  throw notComparable(answer.problem);
}

function notComparable(details: string): ServiceError {
  return new ServiceError('NotComparableError', undefined, { details });
}

/** What parts that compare share. */
export interface CompareState {
  readonly compare: Compare;
}
