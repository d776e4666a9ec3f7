import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '../../timeouts.ts';
import type { UsageStore } from '../usage-store.ts';
import type { SqliteUsage } from './sqlite-usage.ts';

const WORKER = new URL(`usage-worker${extname(import.meta.url)}`, import.meta.url);
/** Longer than the time that the thread waits for a lock. */
const ANSWER_LIMIT_MS = 1_500;
/** Time limit of calls before the first answer of a thread, which reads its modules first. On a busy machine, that takes seconds. */
const START_LIMIT_MS = 15_000;
const CLOSE_LIMIT_MS = 1_500;
/** Calls that may wait for the thread: those of ten seconds at 200 captures a second. */
const MAX_WAITING = 2_000;
/** Delay before a new thread starts, if the last one died. */
const RESTART_MS = 1_000;

// oxlint-disable-next-line no-explicit-any -- each method gets the value of its own call
type AnyValue = any;

/** A call that is sent to the worker thread. */
export interface UsageCall {
  readonly id: number;
  readonly name: keyof SqliteUsage;
  readonly args: readonly unknown[];
}

export interface UsageAnswer {
  readonly id: number;
  readonly value?: unknown;
  /** Message of the error, for the log. */
  readonly error?: string;
}

/** Usage in a SQLite file, in a worker thread, so that no call blocks the event loop. A thread that died is started again. */
export function createThreadStore(
  folder: string,
  { startWorker = startThread }: { readonly startWorker?: (folder: string) => Worker } = {},
): UsageStore {
  const waiting = new Map<number, PromiseWithResolvers<AnyValue>>();
  let worker: Worker | undefined;
  let isStarting = false;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let lastId = 0;

  const receive = ({ id, value, error }: UsageAnswer): void => {
    isStarting = false;
    const call = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker?.unref();
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  };
  const died = (): void => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error('the worker thread of usage.sqlite ended'));
    waiting.clear();
  };
  const running = (): Worker => {
    if (worker !== undefined) return worker;
    if (performance.now() - startedAtMs < RESTART_MS)
      throw new Error('the worker thread of usage.sqlite restarts');
    startedAtMs = performance.now();
    isStarting = true;
    worker = startWorker(folder);
    // Without a listener for `error`, a failure of the thread would end the service. `exit` follows.
    return worker
      .on('message', receive)
      .on('error', () => undefined)
      .once('exit', died);
  };
  const call =
    (name: keyof SqliteUsage) =>
    async (...args: unknown[]): Promise<AnyValue> => {
      const thread = running();
      // A thread that hangs on a network drive answers none of them.
      if (waiting.size >= MAX_WAITING) throw new Error('usage.sqlite does not answer');
      const sent: UsageCall = { id: (lastId += 1), name, args };
      const settled = Promise.withResolvers<AnyValue>();
      waiting.set(sent.id, settled);
      thread.ref();
      thread.postMessage(sent); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
      const limitMs = isStarting ? START_LIMIT_MS : ANSWER_LIMIT_MS;
      return await withTimeout(settled.promise, limitMs, () => {
        isStarting = false; // the next calls need not wait as long
        return new Error('usage.sqlite is too slow');
      });
    };

  return {
    reserve: call('reserve'),
    standing: call('standing'),
    renew: call('renew'),
    write: call('write'),
    read: call('read'),
    close: async () => {
      const thread = worker;
      if (thread === undefined) return;
      const exited = new Promise<void>((resolve) => void thread.once('exit', () => resolve()));
      thread.ref();
      thread.postMessage('close'); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
      const timer = setTimeout(() => void thread.terminate(), CLOSE_LIMIT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

function startThread(folder: string): Worker {
  return new Worker(WORKER, { workerData: { folder }, env: {}, name: 'usage' });
}
