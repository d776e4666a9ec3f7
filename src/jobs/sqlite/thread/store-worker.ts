// The worker thread of the job store. SQLite blocks this thread instead of the event loop of the service.
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { StorageProblem } from '../../../storage/storage-problem.ts';
import { createMutex } from '../../../mutex.ts';
import { isBusy } from '../database-problem.ts';
import { createReopeningStore, type StoreSettings } from './reopening-store.ts';
import { monotonicMs } from '../steady-clock.ts';
import { type CallName, packError, type StoreCall, type WorkerMessage } from './store-calls.ts';

/** Delay between two tries for a lock that another process holds. Reads continue meanwhile. */
const BUSY_DELAY_MS = 20;
const LATE =
  'the job store did not begin this call in time: another program holds the lock of jobs.sqlite in DATA_DIR, or its disk is slow';

const settings: StoreSettings = workerData;
const send = (message: WorkerMessage): void => {
  parentPort?.postMessage(message); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
};
const store = createReopeningStore({
  ...settings,
  onWork: () => send({ kind: 'work' }),
  onUnreadable: (record) => send({ kind: 'unreadable', record }),
});
/** Writes run in the order of their arrival. */
const serialized = createMutex();
/** Calls that only read. They wait for no write, and so for no lock. */
const READS: readonly CallName[] = ['get', 'list', 'findSweepable', 'dueFiles', 'counts'];

async function run({ name, args, deadlineMs }: StoreCall): Promise<unknown> {
  for (;;) {
    if (monotonicMs() > deadlineMs) throw new StorageProblem(LATE, { isPassing: true });
    try {
      return await store.use(async (opened) => Reflect.apply(opened[name], opened, args));
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await delay(BUSY_DELAY_MS);
  }
}

async function answer(call: StoreCall): Promise<void> {
  const { id, name } = call;
  try {
    const value = await (READS.includes(name) ? run(call) : serialized(() => run(call)));
    send({ kind: 'value', id, value });
  } catch (error) {
    send({ kind: 'error', id, error: packError(error) });
  }
}

parentPort?.on('message', (message: StoreCall | 'close') => {
  if (message !== 'close') void answer(message);
  else void serialized(store.close).finally(() => parentPort?.close());
});
