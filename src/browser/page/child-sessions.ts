import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Connection } from 'puppeteer';

type Prepare = (session: CDPSession) => Promise<unknown>;

interface Options {
  readonly connection: Connection;
  /** Of the page. */
  readonly session: CDPSession;
  /** What a frame in a process of its own needs before its first request. */
  readonly prepareFrame: Prepare;
  /** What a dedicated worker needs before its first line. */
  readonly prepareWorker: Prepare;
}

/** What of a page lives beside it: frames of other sites, in processes of their own, and dedicated workers, in threads of their own. */
export interface ChildSessions {
  /** To be called where a child must not begin before it is prepared: otherwise they are looked for at the first sign of one. */
  readonly watch: () => Promise<void>;
  /** True if a frame was ever attached to the page. */
  readonly hadFrames: () => boolean;
  /** Those of frames. */
  readonly frames: () => readonly CDPSession[];
  readonly haveWorkers: () => boolean;
  /** Resolves once every worker has done what it was doing. One that takes longer than the limit is not waited for again. */
  readonly workersRest: (limitMs: number) => Promise<void>;
}

/** Follows the children of a page, and theirs; each is held until it is prepared. */
export function followChildren({ connection, session, prepareFrame, prepareWorker }: Options): ChildSessions {
  // By session id.
  const workers = new Map<string, CDPSession>();
  const frames = new Map<string, CDPSession>();

  const follow = (parent: CDPSession): void => {
    parent.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type } }) => {
      const child = connection.session(sessionId);
      if (child === null) return;
      follow(child);
      const watched = watchChildren(child);
      (type === 'worker' ? workers : frames).set(sessionId, child);
      // A worker that can't be prepared runs all the same: held, it would hold up its page.
      const ready =
        type === 'worker'
          ? Promise.allSettled([watched, prepareWorker(child)])
          : Promise.all([watched, prepareFrame(child)]);
      // What goes away while it is prepared needs nothing more from us.
      void ready.then(() => child.send('Runtime.runIfWaitingForDebugger')).catch(() => undefined);
    });
    parent.on('Target.detachedFromTarget', ({ sessionId }) => {
      workers.delete(sessionId);
      frames.delete(sessionId);
    });
  };
  follow(session);

  // Most pages have no children, and watching for frames costs each page 2 % (measured 2026-11-20).
  let watching: Promise<void> | undefined;
  const watch = (): Promise<void> => (watching ??= watchChildren(session));
  const watchAtFirstSign = (): void => void watch().catch(() => undefined); // the page is gone, and its children with it
  // A frame is attached to its parent first, and only then goes to another site and process.
  let hadFrames = false;
  session.once('Page.frameAttached', () => {
    hadFrames = true;
    watchAtFirstSign();
  });
  session.on('Network.requestWillBeSent', ({ requestId, type }) => {
    if (isOfWorker(requestId, type)) watchAtFirstSign();
  });

  return {
    watch,
    hadFrames: () => hadFrames,
    frames: () => [...frames.values()],
    haveWorkers: () => workers.size > 0,
    workersRest: async (limitMs) => {
      const busy = new Set(workers.keys());
      const resting = [...workers].map(async ([id, worker]) => {
        await worker.send('Runtime.evaluate', { expression: '0' }); // answered between two tasks
        busy.delete(id);
      });
      await Promise.race([Promise.allSettled(resting), delay(limitMs, undefined, { ref: false })]);
      for (const id of busy) workers.delete(id);
    },
  };
}

/**
 * Renderers number their requests `process.count`. What the browser process loads itself, such as the script of a worker, has a
 * token for an id and ends in the worker's own session.
 */
export function isOfWorker(requestId: string, type: string | undefined): boolean {
  return type !== 'Document' && !requestId.includes('.');
}

/**
 * Has the frames in other processes and the workers attached to this session, held until they are prepared. Chrome holds workers
 * whether or not they are asked for: left out of the filter, none that began after the first frame ever ran (Chrome 153 and 156).
 */
async function watchChildren(parent: CDPSession): Promise<void> {
  await parent.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [{ type: 'iframe' }, { type: 'worker' }],
  });
}
