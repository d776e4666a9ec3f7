import { Worker } from 'node:worker_threads';
import { type Calls, createCalls } from '../../core/processes/peer-calls.ts';
import { threadPeer } from '../../core/processes/peers.ts';

/**
 * The first call waits until the thread has read its modules, which takes seconds on a busy machine. The others wait
 * longer than for a lock.
 */
const LIMITS_MS = { first: 15_000, others: 1_500 };

interface ThreadOptions {
  /** Module of the worker, which calls `serveDatabase`. */
  readonly worker: URL;
  readonly folder: string;
  /** Name of the database, for errors. */
  readonly name: string;
  readonly startWorker?: ((folder: string) => Worker) | undefined;
}

/** Calls of a SQLite file, in a worker thread: SQLite blocks that thread instead of the event loop of the service. */
export function createDatabaseThread({ worker, folder, name, startWorker }: ThreadOptions): Calls {
  const start = startWorker ?? (() => new Worker(worker, { workerData: { folder }, env: {}, name }));
  return createCalls({
    name,
    start: () => threadPeer(start(folder)),
    tooMany: () => new Error(`${name} does not answer`),
    limitsMs: LIMITS_MS,
  });
}
