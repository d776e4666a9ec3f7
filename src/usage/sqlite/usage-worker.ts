// The worker thread of usage.sqlite. SQLite blocks this thread instead of the event loop of the service.
import { parentPort, workerData } from 'node:worker_threads';
import { needsReopening } from '../../jobs/sqlite/database-problem.ts';
import { createMutex } from '../../mutex.ts';
import { asError } from '../../timeouts.ts';
import { type OpenedUsage, openUsage } from './open-usage.ts';
import type { UsageAnswer, UsageCall } from './thread-store.ts';

const { folder }: { readonly folder: string } = workerData;
const send = (answer: UsageAnswer): void => {
  parentPort?.postMessage(answer); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
};
let usage: OpenedUsage | undefined;

async function answer({ id, name, args }: UsageCall): Promise<void> {
  try {
    usage ??= await openUsage(folder);
    send({ id, value: Reflect.apply(usage[name], usage, args) });
  } catch (error) {
    if (needsReopening(error)) close();
    send({ id, error: asError(error).message });
  }
}

function close(): void {
  const closing = usage;
  usage = undefined;
  closing?.close();
}

/** Calls run in the order of their arrival. */
const serialized = createMutex();

parentPort?.on('message', (message: UsageCall | 'close') => {
  if (message !== 'close') void serialized(() => answer(message));
  else void serialized(async () => close()).finally(() => parentPort?.close());
});
