import { ServiceError } from '../../core/ground/errors.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import { type Calls, createCalls, PeerEndedError } from '../../core/processes/peer-calls.ts';
import { isOutOfMemory, startProcess } from '../../core/processes/peers.ts';
import { FairQueue } from '../../core/queue/fair-queue.ts';
import { rejection } from '../../features/documents/standards/rejection.ts';
import { PartError } from './assembly/part-error.ts';
import type { DocumentsAnswer, DocumentsWork } from './documents-work.ts';

const PROCESS = new URL('documents-process', import.meta.url);
/** A hostile document keeps one of them busy until the limit. */
const PROCESSES = 2;
const MAX_WAITING = 50;
const MAX_HEAP_MB = 1_024;
const MAX_BYTES = 2_000_000_000;
/** An idle process has 120 MB. */
const IDLE_MS = 60_000;

/** Assembles documents outside of the event loop. */
export interface Documents {
  /**
   * Calls `use` with a process of its own.
   * @param client shares the processes fairly
   * @throws PartError for a part that can't be used; ServiceError TimeoutError, ResultTooLargeError, OverloadedError;
   *   the signal's reason
   */
  readonly withProcess: <T>(
    client: string,
    signal: AbortSignal,
    use: (work: DocumentsWork) => Promise<T>,
  ) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** What the routes get of the part. */
export interface DocumentsState {
  readonly documents: Documents;
}

interface Slot {
  readonly calls: Calls;
  idle?: NodeJS.Timeout;
}

export function createDocuments(): Documents {
  const slots: Slot[] = Array.from({ length: PROCESSES }, () => ({
    calls: createCalls({
      name: 'the process of documents',
      start: () => startProcess(PROCESS, { execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`], maxBytes: MAX_BYTES }),
    }),
  }));
  const free = [...slots];
  const queue = new FairQueue<Slot>({
    size: PROCESSES,
    hasExtraSlot: false,
    maxQueue: MAX_WAITING,
    takeFree: () => {
      const slot = free.pop(); // the one that was used last, because it is warm
      if (slot === undefined) throw new Error('no process is free');
      return slot;
    },
    putFree: (slot) => void free.push(slot),
    waitingName: 'documents',
  });
  return {
    withProcess: async (client, signal, use) => {
      const slot = await queue.take(client, signal);
      clearTimeout(slot.idle);
      const stop = (): void => void slot.calls.kill(); // the result is of no use to a client that left
      signal.addEventListener('abort', stop);
      try {
        return await use(workOf(slot.calls));
      } catch (error) {
        signal.throwIfAborted();
        throw inWords(error);
      } finally {
        signal.removeEventListener('abort', stop);
        slot.idle = setTimeout(stop, IDLE_MS).unref();
        queue.giveBack(client, slot);
      }
    },
    close: async () => {
      for (const { idle } of slots) clearTimeout(idle);
      await Promise.all(slots.map(({ calls }) => calls.kill()));
    },
  };
}

function workOf(calls: Calls): DocumentsWork {
  const call =
    (name: keyof DocumentsWork) =>
    async (...args: readonly unknown[]) => {
      const late = (): Error => {
        void calls.kill();
        return new ServiceError('TimeoutError', `The document took longer than ${LIMIT_MS.render} ms`);
      };
      const answer: DocumentsAnswer<never> = await withTimeout(calls.call(name, args), LIMIT_MS.render, late);
      if ('part' in answer) throw new PartError(answer.part, answer.problem);
      if ('rejection' in answer) throw rejection(`the document ${answer.rejection}`);
      return answer.value;
    };
  return {
    assemble: call('assemble'),
    finish: call('finish'),
    split: call('split'),
    facts: call('facts'),
    write: call('write'),
    flatten: call('flatten'),
  };
}

function inWords(error: unknown): unknown {
  if (isOutOfMemory(error)) {
    const details = 'the documents have too many parts';
    return new ServiceError('ResultTooLargeError', undefined, { details, cause: error });
  }
  if (error instanceof PeerEndedError)
    return new ServiceError('PageCrashedError', 'The document ended the program that reads it', { cause: error });
  return error;
}
