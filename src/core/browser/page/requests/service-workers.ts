import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Connection, Protocol } from 'puppeteer';
import type { RequestTracker } from './request-tracker.ts';

/**
 * Delay after a worker becomes active, for `controllerchange` and the first messages. By then their effects have
 * happened, or are pending requests.
 */
const AFTER_ACTIVATION_MS = 100;

type Status = Protocol.ServiceWorker.ServiceWorkerVersionStatus;

/**
 * True if no version is about to change. A version that is `installed` is activated at once if it is the first, but a
 * second one waits for pages that use the first, and may never be activated.
 */
function areSettled(statuses: readonly Status[]): boolean {
  const hasActive = statuses.includes('activated');
  return statuses.every(
    (status) => status === 'activated' || status === 'redundant' || (status === 'installed' && hasActive),
  );
}

interface Options {
  readonly connection: Connection;
  /** Session of the page. */
  readonly session: CDPSession;
  readonly browserContextId: string;
  readonly requests: Pick<RequestTracker, 'hold' | 'release'>;
  /** Counts the requests of a session. */
  readonly follow: (session: CDPSession) => Promise<unknown>;
}

/**
 * Holds the requests of a page pending while it has a service worker that is not active yet. Requests of the worker
 * itself are counted, too. A page without service workers costs no protocol call.
 * @returns a function that stops following
 */
export function followServiceWorkers(options: Options): () => void {
  const { connection, session, browserContextId, requests, follow } = options;
  const targets = new Set<string>();
  const statuses = new Map<string, Status>();
  let changes = 0;

  const releaseAll = async (): Promise<void> => {
    const before = changes;
    await delay(AFTER_ACTIVATION_MS, undefined, { ref: false });
    if (before !== changes) return; // a newer update of the worker decides
    for (const targetId of targets) requests.release(targetId);
    targets.clear();
  };
  session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    changes++;
    for (const { versionId, status } of versions) statuses.set(versionId, status);
    if (areSettled([...statuses.values()])) void releaseAll();
  });

  const onCreated = ({ targetInfo }: Protocol.Target.TargetCreatedEvent): void => {
    if (targetInfo.type !== 'service_worker' || targetInfo.browserContextId !== browserContextId) return;
    targets.add(targetInfo.targetId);
    requests.hold(targetInfo.targetId);
    const followed = Promise.all([
      session.send('ServiceWorker.enable'),
      connection.createSession(targetInfo).then(follow),
    ]);
    followed.catch(() => requests.release(targetInfo.targetId)); // the worker or the page was closed
  };
  const onDestroyed = ({ targetId }: Protocol.Target.TargetDestroyedEvent): void => {
    if (targets.delete(targetId)) requests.release(targetId);
  };
  connection.on('Target.targetCreated', onCreated);
  connection.on('Target.targetDestroyed', onDestroyed);
  return () => {
    connection.off('Target.targetCreated', onCreated);
    connection.off('Target.targetDestroyed', onDestroyed);
  };
}
