import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Connection, Protocol } from 'puppeteer';
import { LIMIT_MS } from '../../ground/time-limits.ts';

/** Prepares a session before its page or worker runs. */
export type Prepare = (session: CDPSession) => Promise<unknown>;

interface Options {
  readonly connection: Connection;
  /** Session of the page. */
  readonly session: CDPSession;
  /** Prepares a frame in another process before its first request. */
  readonly prepareFrame: Prepare;
  /** Prepares a dedicated worker before its first line. */
  readonly prepareWorker: Prepare;
}

/** Cross-site frames in their own processes, and dedicated workers in their own threads. */
export interface ChildSessions {
  /**
   * Starts watching for workers. Call it before the first document, so that each worker is prepared before its first
   * request.
   */
  readonly prepare: () => Promise<void>;
  /** True if a frame was ever attached to the page. */
  readonly hadFrames: () => boolean;
  /** Sessions of the first `MAX_FRAMES` frames. */
  readonly frames: () => readonly CDPSession[];
  readonly haveWorkers: () => boolean;
  /** True if a worker has requested animation frames since the last call. */
  readonly workersDraw: () => Promise<boolean>;
  /** Resolves when every worker has finished its present task. A worker that exceeds the limit is not awaited again. */
  readonly workersRest: (limitMs: number) => Promise<void>;
}

/**
 * Maximum number of cross-site frames that get page time and are checked for readiness: each costs calls in every step.
 * A page may have 1,000.
 */
const MAX_FRAMES = 100;

/** Attaches to the children of a page, recursively. Each is paused until it is prepared. */
export function followChildren({ connection, session, prepareFrame, prepareWorker }: Options): ChildSessions {
  // Sessions by their ids.
  const workers = new Map<string, CDPSession>();
  const frames = new Map<string, CDPSession>();
  /** Frames that workers have requested. */
  const drawn = new Map<string, number>();

  const follow = (parent: CDPSession): void => {
    parent.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type } }) => {
      const child = connection.session(sessionId);
      if (child === null) return;
      if (type === WORKLET.type) {
        void child.send('Runtime.runIfWaitingForDebugger').catch(() => undefined);
        return;
      }
      follow(child);
      const watched = watch(child, [FRAME, WORKER, WORKLET]);
      (type === 'worker' ? workers : frames).set(sessionId, child);
      // A worker that can't be prepared still runs: paused, it would block its page.
      const ready =
        type === 'worker'
          ? Promise.allSettled([watched, prepareWorker(child)])
          : Promise.all([watched, prepareFrame(child)]);
      // Children that go away during preparation need nothing more.
      void ready.then(() => child.send('Runtime.runIfWaitingForDebugger')).catch(() => undefined);
    });
    parent.on('Target.detachedFromTarget', ({ sessionId }) => {
      workers.delete(sessionId);
      frames.delete(sessionId);
    });
  };
  follow(session);

  // Most pages have no frames, and watching for frames costs 2 % of each capture (measured 2026-11-20).
  let hadFrames = false;
  // A frame is attached to its parent first, and moves to another site and process later.
  session.once('Page.frameAttached', () => {
    hadFrames = true;
    // The page was closed, and its children with it.
    void watch(session, [FRAME, WORKER, WORKLET]).catch(() => undefined);
  });

  return {
    prepare: () => watch(session, [WORKER, WORKLET]),
    hadFrames: () => hadFrames,
    frames: () => [...frames.values().take(MAX_FRAMES)],
    haveWorkers: () => workers.size > 0,
    workersDraw: async () => {
      const counted = [...workers].map(async ([id, worker]) => {
        const before = drawn.get(id);
        const now = await requestedFrames(worker);
        drawn.set(id, now);
        return before !== undefined && now > before + 1; // each count requests a frame itself
      });
      return (await Promise.all(counted)).includes(true);
    },
    workersRest: async (limitMs) => {
      const busy = new Set(workers.keys());
      const resting = [...workers].map(async ([id, worker]) => {
        await worker.send('Runtime.evaluate', { expression: '0' }); // a busy page answers between two tasks
        busy.delete(id);
      });
      await Promise.race([Promise.allSettled(resting), delay(limitMs, undefined, { ref: false })]);
      for (const id of busy) workers.delete(id);
    },
  };
}

/**
 * Renderers number their requests `process.count`. Requests of the browser process, such as the script of a worker,
 * have a token as their id and end in the worker's own session.
 */
export function isOfWorker(requestId: string, type: string | undefined): boolean {
  return type !== 'Document' && !requestId.includes('.');
}

const WORKER = { type: 'worker' };
const FRAME = { type: 'iframe' };
/** Code for sound and painting. Chrome pauses it like a worker; it has nothing to prepare. */
const WORKLET = { type: 'worklet' };

const NEXT_FRAME =
  "typeof requestAnimationFrame === 'function' ? ((id) => (cancelAnimationFrame(id), id))(requestAnimationFrame(() => undefined)) : 0";

/** Frames have ids in their order, as in `countCallbacks`. 0 for a worker that is busy or has ended. */
async function requestedFrames(worker: CDPSession): Promise<number> {
  const late = delay(LIMIT_MS.worker, undefined, { ref: false });
  const counting = worker.send('Runtime.evaluate', { expression: NEXT_FRAME }).catch(() => undefined);
  const answer = await Promise.race([counting, late]);
  return Number(answer?.result.value ?? 0);
}

/**
 * Attaches to frames in other processes and to workers of this session, paused until they are prepared. The filter must
 * include workers: Chrome pauses them in any case, and without an attached session a worker that started after the
 * first frame never ran (Chrome 153 and 156).
 */
async function watch(parent: CDPSession, filter: Protocol.Target.TargetFilter): Promise<void> {
  await parent.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter,
  });
}
