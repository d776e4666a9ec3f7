import { createWorkListeners, type JobStore } from '../../job-store.ts';
import type { CallName } from './store-calls.ts';
import { type AnyValue, createStoreThread, type ThreadOptions } from './store-thread.ts';

/**
 * Jobs in SQLite, in a worker thread, so that no call blocks the event loop. The thread opens the file with the first call. A new thread
 * is started if it has died. A call waits for a lock of another process for at most four seconds.
 */
export function openSqliteStore(options: Omit<ThreadOptions, 'onWork'>): JobStore {
  const { onWork, notifyWork } = createWorkListeners();
  const thread = createStoreThread({ ...options, onWork: notifyWork });
  const remote =
    (name: CallName) =>
    (...args: unknown[]): Promise<AnyValue> =>
      thread.call(name, args);

  return {
    submit: remote('submit'),
    findSubmitted: remote('findSubmitted'),
    withdraw: remote('withdraw'),
    get: remote('get'),
    list: remote('list'),
    claim: remote('claim'),
    heartbeat: remote('heartbeat'),
    finish: remote('finish'),
    fail: remote('fail'),
    retry: remote('retry'),
    giveBack: remote('giveBack'),
    cancel: remote('cancel'),
    findSweepable: remote('findSweepable'),
    remove: remote('remove'),
    tidy: remote('tidy'),
    loseResult: remote('loseResult'),
    claimWebhook: remote('claimWebhook'),
    endWebhook: remote('endWebhook'),
    retryWebhook: remote('retryWebhook'),
    giveBackWebhook: remote('giveBackWebhook'),
    counts: remote('counts'),
    recordFile: remote('recordFile'),
    dueFiles: remote('dueFiles'),
    forgetFile: remote('forgetFile'),
    onWork,
    [Symbol.asyncDispose]: thread.close,
  };
}
