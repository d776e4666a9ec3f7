import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../errors.ts';
import { StorageProblem } from '../../../storage/storage-problem.ts';
import type { UnreadableRecord } from '../../job-codec.ts';
import { monotonicMs } from '../steady-clock.ts';
import type { StoreSettings } from './reopening-store.ts';
import { type CallName, type StoreCall, unpackError, type WorkerMessage } from './store-calls.ts';

const WORKER = new URL(`store-worker${extname(import.meta.url)}`, import.meta.url);
/** Less than the limit of `guardStore`, so that a call that is refused as late has changed nothing. */
const BEGIN_LIMIT_MS = 4_000;
/** Maximum number of calls that wait for the thread. Enough for many batches of 100 reads; uses only a few megabytes. */
const MAX_WAITING = 2_000;
const CLOSE_LIMIT_MS = 1_500;
/** Delay before a new thread starts, if the last one died at once. */
const RESTART_MS = 1_000;

// oxlint-disable-next-line no-explicit-any -- each method gets the value of its own call
export type AnyValue = any;

export interface ThreadOptions extends StoreSettings {
  /** Called when a job or a webhook may be ready to claim. */
  readonly onWork: () => void;
  readonly onUnreadable: (record: UnreadableRecord) => void;
  /** Called when the worker thread has died. */
  readonly onDeath: (error: Error) => void;
  /** Longest time in milliseconds that a call may wait before it begins. */
  readonly beginLimitMs?: number;
  readonly startWorker?: (settings: StoreSettings) => Worker;
}

export interface StoreThread {
  /** Runs a method of the store in the thread, and starts the thread if it does not run. */
  readonly call: (name: CallName, args: readonly unknown[]) => Promise<AnyValue>;
  readonly close: () => Promise<void>;
}

/** Runs the job store in a worker thread. */
export function createStoreThread(options: ThreadOptions): StoreThread {
  const { folder, leases, queueLimits, beginLimitMs = BEGIN_LIMIT_MS, startWorker = startThread } = options;
  const waiting = new Map<number, PromiseWithResolvers<AnyValue>>();
  let worker: Worker | undefined;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let closing: Promise<void> | undefined;
  let lastId = 0;

  const receive = (message: WorkerMessage): void => {
    if (message.kind === 'unreadable') options.onUnreadable(message.record);
    if (message.kind === 'work') options.onWork();
    if (message.kind === 'unreadable' || message.kind === 'work') return;
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (waiting.size === 0) worker?.unref();
    if (message.kind === 'error') call?.reject(unpackError(message.error));
    else call?.resolve(message.value);
  };
  const died = (cause: Error): void => {
    worker = undefined;
    const calls = [...waiting.values()];
    waiting.clear();
    for (const { reject } of calls)
      reject(new StorageProblem('the worker thread of the job store ended', { cause, isPassing: true }));
    if (closing === undefined) options.onDeath(cause);
  };
  const running = (): Worker => {
    if (worker !== undefined) return worker;
    if (closing !== undefined) throw new StorageProblem('the job store is closed', { isPassing: false });
    if (performance.now() - startedAtMs < RESTART_MS)
      throw new StorageProblem('the worker thread of the job store ended: starting another', {
        isPassing: true,
      });
    startedAtMs = performance.now();
    const started = startWorker({ folder, leases, queueLimits });
    let reason: Error | undefined;
    started
      .on('message', receive)
      .on('error', (error: Error) => (reason = error))
      .once('exit', (code) => died(reason ?? new Error(`exit code ${code}`)));
    worker = started;
    return started;
  };
  const call = async (name: CallName, args: readonly unknown[]): Promise<AnyValue> => {
    if (waiting.size >= MAX_WAITING)
      throw new ServiceError('OverloadedError', 'Too many calls wait for the job store', {
        retryAfterSeconds: 1,
      });
    const thread = running();
    const id = (lastId += 1);
    const settled = Promise.withResolvers<AnyValue>();
    const sent: StoreCall = { id, name, args, deadlineMs: monotonicMs() + beginLimitMs };
    waiting.set(id, settled);
    thread.ref();
    thread.postMessage(sent); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
    return await settled.promise;
  };
  const close = async (): Promise<void> => {
    const thread = worker;
    if (thread === undefined) return;
    const exited = new Promise((resolve) => thread.once('exit', resolve));
    thread.ref();
    thread.postMessage('close'); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
    const timer = setTimeout(() => void thread.terminate(), CLOSE_LIMIT_MS);
    await exited;
    clearTimeout(timer);
  };

  return { call, close: () => (closing ??= close()) };
}

function startThread(workerData: StoreSettings): Worker {
  return new Worker(WORKER, { workerData, env: {}, name: 'job store' });
}
