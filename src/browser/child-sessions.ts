import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Connection } from 'puppeteer-core';

type Prepare = (session: CDPSession) => Promise<unknown>;

export interface Workers {
  readonly exist: () => boolean;
  /** Resolves once every worker has done what it was doing. One that takes longer than the limit is not waited for again. */
  readonly rest: (limitMs: number) => Promise<void>;
}

interface Children {
  readonly connection: Connection;
  /** Of the page. */
  readonly session: CDPSession;
  /** What a frame in a process of its own needs before its first request. */
  readonly prepareFrame: Prepare;
  readonly prepareWorker: Prepare;
}

/**
 * Follows what of a page lives beside it: frames of other sites, in processes of their own, and workers, in threads of their own. Each is
 * held until it is prepared. Most pages have neither, and to watch for frames costs each page 2 % (measured 2026-11-20): so it is begun
 * with the first sign of one.
 */
export function followChildren({ connection, session, prepareFrame, prepareWorker }: Children): Workers {
  const workers = new Map<string, CDPSession>(); // by session id
  const watched = new Map<CDPSession, Set<string>>();

  const watch = (parent: CDPSession, type: 'iframe' | 'worker'): void => {
    const types = watched.get(parent) ?? new Set();
    if (types.has(type)) return;
    watched.set(parent, types.add(type));
    const attached = parent.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [...types].map((each) => ({ type: each })),
    });
    attached.catch(() => undefined); // the parent is gone, and its children with it
  };

  const follow = (parent: CDPSession): void => {
    parent.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const child = connection.session(sessionId);
      if (child === null) return;
      const isFrame = targetInfo.type === 'iframe';
      if (isFrame) follow(child);
      else workers.set(sessionId, child);
      const ready = isFrame ? prepareFrame(child) : prepareWorker(child);
      // One that goes away while it is prepared needs nothing more from us.
      void ready.then(() => child.send('Runtime.runIfWaitingForDebugger')).catch(() => undefined);
    });
    parent.on('Target.detachedFromTarget', ({ sessionId }) => {
      workers.delete(sessionId);
    });
    // The script of a worker is loaded by the browser's own process, whose requests are not numbered `process.count`.
    parent.on('Network.requestWillBeSent', ({ requestId, type }) => {
      if (type !== 'Document' && !requestId.includes('.')) watch(parent, 'worker');
    });
    // A frame is attached to its parent first, and only then goes to another site and process.
    if (parent === session) parent.once('Page.frameAttached', () => watch(parent, 'iframe'));
    else watch(parent, 'iframe');
  };
  follow(session);
  return {
    rest: async (limitMs) => {
      const busy = new Set(workers.keys());
      const resting = [...workers].map(async ([id, worker]) => {
        await worker.send('Runtime.evaluate', { expression: '0' }); // answered between two tasks
        busy.delete(id);
      });
      await Promise.race([Promise.allSettled(resting), delay(limitMs, undefined, { ref: false })]);
      for (const id of busy) workers.delete(id);
    },
    exist: () => workers.size > 0,
  };
}
