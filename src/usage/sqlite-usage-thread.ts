import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createCalls } from '../processes/peer-calls.ts';
import { type AnyValue, threadPeer } from '../processes/peers.ts';
import type { UsageStore } from './usage-store.ts';
import type { SqliteUsage } from './sqlite-usage.ts';

const WORKER = new URL(`sqlite-usage-worker${extname(import.meta.url)}`, import.meta.url);
/**
 * The first call waits until the thread has read its modules, which takes seconds on a busy machine. The others wait
 * longer than for a lock.
 */
const LIMITS_MS = { first: 15_000, others: 1_500 };

/** Usage in a SQLite file, in a worker thread. */
export function createThreadStore(
  folder: string,
  { startWorker = startThread }: { readonly startWorker?: (folder: string) => Worker } = {},
): UsageStore {
  const calls = createCalls({
    name: 'usage.sqlite',
    start: () => threadPeer(startWorker(folder)),
    tooMany: () => new Error('usage.sqlite does not answer'),
    limitsMs: LIMITS_MS,
  });
  const call =
    (name: keyof SqliteUsage) =>
    (...args: unknown[]): Promise<AnyValue> =>
      calls.call(name, args);

  return {
    reserve: call('reserve'),
    standing: call('standing'),
    renew: call('renew'),
    write: call('write'),
    read: call('read'),
    close: calls.close,
  };
}

function startThread(folder: string): Worker {
  return new Worker(WORKER, { workerData: { folder }, env: {}, name: 'usage' });
}
