import type { Connection, Protocol } from 'puppeteer';
import type { RequestTracker } from './request-tracker.ts';

/**
 * Counts the script of each dedicated worker among the requests of its page, from the moment at which the worker is asked for. The browser
 * process loads it, with the worker's id as a target, and tells of its end in the worker's own session; of a worker that is ended before,
 * the target goes. Shared workers belong to no page: none is waited for.
 * @returns what stops it.
 */
export function followWorkerScripts(
  connection: Connection,
  ownContextId: string,
  { begin, end }: Pick<RequestTracker, 'begin' | 'end'>,
): () => void {
  const onCreated = ({ targetInfo }: Protocol.Target.TargetCreatedEvent): void => {
    const { type, targetId, browserContextId } = targetInfo;
    if (type === 'worker' && browserContextId === ownContextId) begin(targetId);
  };
  const onDestroyed = ({ targetId }: Protocol.Target.TargetDestroyedEvent): void => {
    end(targetId);
  };
  connection.on('Target.targetCreated', onCreated);
  connection.on('Target.targetDestroyed', onDestroyed);
  return () => {
    connection.off('Target.targetCreated', onCreated);
    connection.off('Target.targetDestroyed', onDestroyed);
  };
}
