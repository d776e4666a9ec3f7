// The worker thread of the job store. SQLite blocks this thread instead of the event loop of the service.
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { createMutex } from '../../mutex.ts';
import { StorageProblem } from '../../storage/storage-problem.ts';
import { serveCalls, type WorkerCall } from '../../storage/worker-calls.ts';
import { monotonicMs } from '../../timeouts.ts';
import type { UnreadableRecord } from '../job-codec.ts';
import { isBusy } from './database-problem.ts';
import { createReopeningStore, type StoreSettings } from './reopening-store.ts';

/** A job or a webhook may be ready to claim, or a record cannot be read. */
export type StoreEvent = 'work' | UnreadableRecord;

/**
 * Longest wait of a call before it begins. Less than the limit of `guardStore`, so that a call that is refused as late
 * has changed nothing.
 */
const BEGIN_LIMIT_MS = 4_000;
/** Delay between two tries for a lock that another process holds. Reads continue meanwhile. */
const BUSY_DELAY_MS = 20;
const LATE =
  'the job store did not begin this call in time: another program holds the lock of jobs.sqlite in DATA_DIR, or its disk is slow';
/** Calls that only read. They wait for no write, and so for no lock. */
const READS: readonly string[] = ['get', 'list', 'findSweepable', 'dueFiles', 'counts'];

const settings: StoreSettings = workerData;
const { beginLimitMs = BEGIN_LIMIT_MS } = settings;
const store = createReopeningStore({
  ...settings,
  onWork: () => sendEvent('work'),
  onUnreadable: (record) => sendEvent(record),
});
/** Writes run in the order of their arrival. */
const serialized = createMutex();

async function run({ name, args, sentAtMs }: WorkerCall): Promise<unknown> {
  for (;;) {
    if (monotonicMs() > sentAtMs + beginLimitMs) throw new StorageProblem(LATE, { isRetryable: true });
    try {
      return await store.use(async (opened) => Reflect.apply(Reflect.get(opened, name), opened, args));
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await delay(BUSY_DELAY_MS);
  }
}

const sendEvent: (event: StoreEvent) => void = serveCalls({
  run: (call) => (READS.includes(call.name) ? run(call) : serialized(() => run(call))),
  close: () => serialized(store.close),
});
