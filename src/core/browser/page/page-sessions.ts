import type { CDPSession, Connection } from 'puppeteer';
import { raceAbort } from '../../ground/timeouts.ts';
import { type ChildSessions, followChildren, type Prepare } from './child-sessions.ts';

interface SessionsOptions {
  readonly connection: Connection;
  /** Session of the page. */
  readonly session: CDPSession;
  /** Prepares every session, including workers. */
  readonly follow: Prepare;
  /** Prepare the sessions of the page and of its frames only. */
  readonly preparations: readonly Prepare[];
  /** Aborted when the page ends. */
  readonly signal: AbortSignal;
}

export interface PageSessions {
  readonly children: ChildSessions;
  /** Prepares the session of the page. */
  readonly prepare: () => Promise<unknown>;
  /** Prepares each session of this page, including frames in other processes, before its first request. */
  readonly onSession: (prepare: Prepare) => Promise<void>;
  /**
   * Prepares each dedicated worker of this page and its frames before its first line. Shared workers belong to no page.
   */
  readonly onWorker: (prepare: Prepare) => Promise<void>;
  /**
   * Follows each session of this page, including workers. Events of a worker before its session is attached are missed.
   */
  readonly followSessions: (listen: (session: CDPSession) => void) => void;
}

/** Prepares all sessions of a page, including later ones. */
export function createPageSessions(options: SessionsOptions): PageSessions {
  const { connection, session, follow, signal } = options;
  const preparations = [follow, ...options.preparations];
  const workerPreparations = [follow];
  const prepare: Prepare = (target) => Promise.all(preparations.map((each) => each(target)));
  const children = followChildren({
    connection,
    session,
    prepareFrame: prepare,
    prepareWorker: (worker) => Promise.allSettled(workerPreparations.map((each) => each(worker))),
  });

  return {
    children,
    prepare: () => Promise.all([prepare(session), children.prepare()]),
    onSession: async (each) => {
      preparations.push(each);
      await raceAbort(each(session), signal);
    },
    onWorker: async (each) => void workerPreparations.push(each),
    followSessions: (listen) => {
      const listenTo = async (target: CDPSession): Promise<void> => listen(target);
      preparations.push(listenTo);
      workerPreparations.push(listenTo);
      listen(session);
    },
  };
}
