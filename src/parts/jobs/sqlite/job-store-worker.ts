// The worker thread of the job store. SQLite blocks this thread instead of the event loop of the service.
import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../../core/processes/peer-calls.ts';
import type { UnreadableRecord } from '../job-codec.ts';
import { createReopeningStore, type StoreSettings } from './reopening-store.ts';

/** A job or a webhook may be ready to claim, or a record cannot be read. */
export type StoreEvent = 'work' | UnreadableRecord;

const settings: StoreSettings = workerData;
const store = createReopeningStore({
  ...settings,
  onWork: () => sendEvent('work'),
  onUnreadable: (record) => sendEvent(record),
});
const sendEvent: (event: StoreEvent) => void = serveCalls(store);
