import { parentPort, type Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { asError, monotonicMs, withTimeout } from '../timeouts.ts';
import { StorageProblem } from './storage-problem.ts';

/**
 * Maximum number of calls that wait for a thread: enough for many batches of 100 reads, and uses only a few megabytes.
 */
const MAX_WAITING = 2_000;
const CLOSE_LIMIT_MS = 1_500;
/** Delay before a new thread starts, if the last one died at once. */
const RESTART_MS = 1_000;

// oxlint-disable-next-line no-explicit-any -- each method gets the value of its own call
export type AnyValue = any;

/** A call that is sent to the thread. */
export interface WorkerCall {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
  /** Time of the call by `monotonicMs`. */
  readonly sentAtMs: number;
}

type WorkerMessage =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PackedError }
  | { readonly event: unknown };

interface WorkerOptions {
  /** Name of the store for errors. */
  readonly name: string;
  readonly start: () => Worker;
  /** Error of a call if too many others wait. */
  readonly tooMany: () => Error;
  /** Time limits of a call. The first call of a thread waits until it has read its modules. Default: none. */
  readonly limitsMs?: { readonly first: number; readonly others: number };
  readonly onEvent?: (event: AnyValue) => void;
  /** Called when the thread has died. */
  readonly onDeath?: (error: Error) => void;
}

/** A store in a worker thread, so that no call blocks the event loop. */
export interface WorkerCalls {
  /** Runs a method of the store in the thread, and starts the thread if it does not run. */
  readonly call: (name: string, args: readonly unknown[]) => Promise<AnyValue>;
  /** Lets the thread close the store. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Sends calls to a worker thread that runs `serveCalls`. A thread that has died is started again by the next call. */
export function createWorkerCalls(options: WorkerOptions): WorkerCalls {
  const { name: store, start, tooMany, limitsMs } = options;
  const waiting = new Map<number, PromiseWithResolvers<AnyValue>>();
  let worker: Worker | undefined;
  let isStarting = false;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let closing: Promise<void> | undefined;
  let lastId = 0;

  const receive = (message: WorkerMessage): void => {
    if ('event' in message) {
      options.onEvent?.(message.event);
      return;
    }
    isStarting = false;
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (waiting.size === 0) worker?.unref();
    if ('error' in message) call?.reject(unpackError(message.error));
    else call?.resolve(message.value);
  };
  const ended = (cause?: Error): StorageProblem =>
    new StorageProblem(`the worker thread of ${store} ended${cause === undefined ? ': starting another' : ''}`, {
      cause,
      isRetryable: true,
    });
  const died = (cause: Error): void => {
    worker = undefined;
    const calls = [...waiting.values()];
    waiting.clear();
    for (const { reject } of calls) reject(ended(cause));
    if (closing === undefined) options.onDeath?.(cause);
  };
  const running = (): Worker => {
    if (worker !== undefined) return worker;
    if (closing !== undefined) throw new StorageProblem(`${store} is closed`, { isRetryable: false });
    if (performance.now() - startedAtMs < RESTART_MS) throw ended();
    startedAtMs = performance.now();
    isStarting = true;
    let reason: Error | undefined;
    // Without a listener for `error`, a failure of the thread would end the service. `exit` follows.
    worker = start()
      .on('message', receive)
      .on('error', (error: Error) => (reason = error))
      .once('exit', (code) => died(reason ?? new Error(`exit code ${code}`)));
    return worker;
  };
  return {
    call: async (name, args) => {
      if (waiting.size >= MAX_WAITING) throw tooMany(); // a thread that hangs on a network drive answers none of them
      const thread = running();
      const call: WorkerCall = { id: (lastId += 1), name, args, sentAtMs: monotonicMs() };
      const settled = Promise.withResolvers<AnyValue>();
      waiting.set(call.id, settled);
      thread.ref();
      post(thread, call);
      if (limitsMs === undefined) return await settled.promise;
      return await withTimeout(settled.promise, isStarting ? limitsMs.first : limitsMs.others, () => {
        isStarting = false; // the next calls need not wait as long
        return new Error(`${store} is too slow`);
      });
    },
    close: () => (closing ??= closeThread(worker)),
  };
}

async function closeThread(thread: Worker | undefined): Promise<void> {
  if (thread === undefined) return;
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  thread.ref();
  post(thread, 'close');
  const timer = setTimeout(() => void thread.terminate(), CLOSE_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}

/**
 * Answers the calls of `createWorkerCalls` in its worker thread. Returns a function that sends an event.
 * @param store `run` executes a call. `close` is called once, when no more calls follow
 */
export function serveCalls(store: {
  readonly run: (call: WorkerCall) => Promise<unknown>;
  readonly close: () => Promise<void>;
}): (event: unknown) => void {
  const answer = async (call: WorkerCall): Promise<void> => {
    const { id } = call;
    try {
      answerWith({ id, value: await store.run(call) });
    } catch (error) {
      answerWith({ id, error: packError(error) });
    }
  };
  parentPort?.on('message', (message: WorkerCall | 'close') => {
    if (message !== 'close') void answer(message);
    else void store.close().finally(() => parentPort?.close());
  });
  return (event) => answerWith({ event });
}

function answerWith(message: WorkerMessage): void {
  if (parentPort !== null) post(parentPort, message);
}

function post(to: Pick<Worker, 'postMessage'>, message: unknown): void {
  to.postMessage(message); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
}

/** An error as plain values, because errors lose their class between threads. */
interface PackedError {
  readonly message: string;
  readonly cause: unknown;
  readonly isProblem: boolean;
  /** Set for a ServiceError. */
  readonly service?: Pick<ServiceError, 'type' | 'details' | 'retryAfterSeconds'>;
}

function packError(thrown: unknown): PackedError {
  const { message, cause } = asError(thrown);
  if (thrown instanceof StorageProblem) return { message, cause, isProblem: true };
  if (!(thrown instanceof ServiceError)) return { message, cause: thrown, isProblem: false };
  const { type, details, retryAfterSeconds } = thrown;
  return { message, cause: thrown, isProblem: false, service: { type, details, retryAfterSeconds } };
}

function unpackError({ message, cause, isProblem, service }: PackedError): Error {
  if (service !== undefined) return new ServiceError(service.type, message, { ...service, cause });
  return isProblem ? new StorageProblem(message, { cause, isRetryable: true }) : asError(cause);
}
