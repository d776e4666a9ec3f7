import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Connection, Protocol } from 'puppeteer';
import { LIMIT_MS } from '../../../ground/time-limits.ts';
import type { RequestTracker } from './request-tracker.ts';

/** Polling interval for a worker whose script is loading, in milliseconds. */
const LOOK_EVERY_MS = 50;

export interface WorkerScripts {
  /** Follows a session: the page's, or that of any child that may have workers. */
  readonly follow: (session: CDPSession) => void;
  readonly stop: () => void;
}

/**
 * Counts the script of each dedicated worker as a request of its page, from the creation of the worker. The browser
 * process loads it, and reports its end in the worker's session; if the worker ends before, its target is destroyed.
 * Does not wait for scripts that never end, nor for shared workers, which belong to no page.
 */
export function countWorkerScripts(
  connection: Connection,
  ownContextId: string,
  { begin, end, has }: Pick<RequestTracker, 'begin' | 'end' | 'has'>,
): WorkerScripts {
  const onCreated = ({ targetInfo }: Protocol.Target.TargetCreatedEvent): void => {
    const { type, targetId, browserContextId } = targetInfo;
    if (type === 'worker' && browserContextId === ownContextId) begin(targetId);
  };
  const onDestroyed = ({ targetId }: Protocol.Target.TargetDestroyedEvent): void => end(targetId);
  connection.on('Target.targetCreated', onCreated);
  connection.on('Target.targetDestroyed', onDestroyed);

  const endOnceBusy = async (worker: CDPSession, targetId: string): Promise<void> => {
    while (has(targetId)) {
      const rests = worker.send('Runtime.evaluate', { expression: '0' }).then(() => true);
      if (!(await Promise.race([rests, delay(LIMIT_MS.worker, false, { ref: false })]))) break;
      await delay(LOOK_EVERY_MS, undefined, { ref: false });
    }
    end(targetId);
  };

  return {
    follow: (session) => {
      session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
        const { type, targetId } = targetInfo;
        const worker = type === 'worker' ? connection.session(sessionId) : null;
        if (worker === null) return;
        worker.on('Network.responseReceived', ({ requestId }) => {
          if (requestId !== targetId) return;
          // The target is destroyed with its worker.
          void endOnceBusy(worker, targetId).catch(() => undefined);
        });
      });
    },
    stop: () => {
      connection.off('Target.targetCreated', onCreated);
      connection.off('Target.targetDestroyed', onDestroyed);
    },
  };
}
