import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../core/ground/errors.ts';
import { createCalls } from '../../../core/processes/peer-calls.ts';
import { threadPeer } from '../../../core/processes/peers.ts';
import type { UnreadableRecord } from '../job-codec.ts';
import { createWorkListeners, type JobStore, proxyStore } from '../job-store.ts';
import type { StoreSettings } from './reopening-store.ts';
import type { StoreEvent } from './job-store-worker.ts';

const WORKER = new URL(`job-store-worker${extname(import.meta.url)}`, import.meta.url);

interface OpenOptions extends StoreSettings {
  readonly onUnreadable: (record: UnreadableRecord) => void;
  /** Called when the worker thread has died. */
  readonly onDeath: (error: Error) => void;
  readonly startWorker?: (settings: StoreSettings) => Worker;
}

/**
 * Jobs in SQLite, in a worker thread. The thread opens the file with the first call. A call waits for a lock of another
 * process for at most four seconds.
 */
export function openSqliteStore(options: OpenOptions): JobStore {
  const { onUnreadable, onDeath, startWorker = startThread, ...settings } = options;
  const { onWork, notifyWork } = createWorkListeners();
  const calls = createCalls({
    name: 'the job store',
    start: () => threadPeer(startWorker(settings)),
    tooMany: () =>
      new ServiceError('OverloadedError', 'Too many calls wait for the job store', { retryAfterSeconds: 1 }),
    onEvent: (event: StoreEvent) => {
      if (event === 'work') notifyWork();
      else onUnreadable(event);
    },
    onDeath,
  });
  return proxyStore(calls.call, { onWork, [Symbol.asyncDispose]: calls.close });
}

function startThread(workerData: StoreSettings): Worker {
  return new Worker(WORKER, { workerData, env: {}, name: 'job store' });
}
