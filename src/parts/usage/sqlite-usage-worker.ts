// The worker thread of usage.sqlite. SQLite blocks this thread instead of the event loop of the service.
import { workerData } from 'node:worker_threads';
import { needsReopening } from '../stores/database-problem.ts';
import { createMutex } from '../../core/ground/mutex.ts';
import { serveCalls } from '../../core/processes/peer-calls.ts';
import { type OpenedUsage, openUsage } from './sqlite-usage.ts';

const { folder }: { readonly folder: string } = workerData;
let usage: OpenedUsage | undefined;

async function run(name: string, args: readonly unknown[]): Promise<unknown> {
  try {
    usage ??= await openUsage(folder);
    return Reflect.apply(Reflect.get(usage, name), usage, args);
  } catch (error) {
    if (needsReopening(error)) close();
    throw error;
  }
}

function close(): void {
  const closing = usage;
  usage = undefined;
  closing?.close();
}

/** Calls run in the order of their arrival. */
const serialized = createMutex();

serveCalls({
  run: ({ name, args }) => serialized(() => run(name, args)),
  close: () => serialized(async () => close()),
});
