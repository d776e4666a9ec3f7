import { ServiceError } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createCalls } from '../processes/peer-calls.ts';
import { startProcess } from '../processes/peers.ts';
import { FairQueue } from '../queue/fair-queue.ts';
import { LIMIT_MS } from '../time-limits.ts';
import { withTimeout } from '../timeouts.ts';
import type { CompareCall, CompareResult } from './pictures/compare-pictures.ts';

const PROCESS = new URL('compare-process', import.meta.url);
/** Comparisons that wait for the process. */
const MAX_WAITING = 50;

/** Compares pictures outside of the event loop. */
export interface Compare {
  /**
   * @param client shares the process fairly
   * @throws ServiceError NotComparableError; OverloadedError if too many wait
   */
  readonly pictures: (
    call: CompareCall,
    client: string,
    signal: AbortSignal,
  ) => Promise<Exclude<CompareResult, { readonly problem: string }>>;
  readonly close: () => Promise<void>;
}

/** Creates the comparison. Its process starts with the first call, and again after it was ended. */
export function createCompare({ recordComparison }: Pick<Metrics, 'recordComparison'>): Compare {
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
    start: () => startProcess(PROCESS, { execArgv: ['--expose-gc'] }),
  });

  /** The result is of no use to a client that left, and others wait for the process. */
  const stop = (): void => void calls.kill();
  const compare: Compare['pictures'] = async (call, client, signal) => {
    await queue.take(client, signal);
    signal.addEventListener('abort', stop);
    try {
      const result: CompareResult = await withTimeout(calls.call('compare', [call]), LIMIT_MS.render, () => {
        void calls.kill();
        return new ServiceError('TimeoutError', `The comparison took longer than ${LIMIT_MS.render} ms`);
      });
      if (!('problem' in result)) return result;
      throw new ServiceError('NotComparableError', undefined, { details: result.problem });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      queue.giveBack(client, undefined);
    }
  };

  return {
    pictures: async (call, client, signal) => {
      const start = performance.now();
      const record = (outcome: 'equal' | 'changed' | 'failed'): void =>
        recordComparison({ outcome, seconds: (performance.now() - start) / 1_000 });
      try {
        const result = await compare(call, client, signal);
        record(result.regions.length > 0 ? 'changed' : 'equal');
        return result;
      } catch (error) {
        record('failed');
        throw error;
      }
    },
    close: calls.kill,
  };
}
