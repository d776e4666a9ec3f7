import { isDeepStrictEqual } from 'node:util';
import type { CDPSession, Connection } from 'puppeteer';
import { CDPSessionEvent } from 'puppeteer';
import { raceAbort, withTimeout } from '../../timeouts.ts';
import { BrowserClosedError, RendererCrashedError } from '../browser-errors.ts';
import { type ChildSessions, followChildren } from './child-sessions.ts';
import { createEvaluate, type Evaluation, runInPageWorld } from './evaluate.ts';
import { createPageClock, type PageClock } from './page-clock.ts';
import { createPageFrames } from './page-frames.ts';
import { createInterception, type InterceptionRule } from './interception.ts';
import { followMainFrame, type MainFrame } from './main-frame.ts';
import { createPageAccount } from '../pipe/page-account.ts';
import type { PipeTransport } from '../pipe/pipe-transport.ts';
import { createLargeAnswers, type LargeAnswers } from './large-answers.ts';
import { createPictureTypes, type PictureTypes } from './picture-types.ts';
import { createRequestTracker, type RequestTracker } from './request-tracker.ts';
import { createFirstMessages, type FirstMessages } from './first-messages.ts';
import { followServiceWorkers } from './service-workers.ts';
import { countWorkerScripts } from './worker-scripts.ts';
import { LIMIT_MS } from '../../time-limits.ts';

/**
 * Disables storing bodies in the browser: they are never read, and a page could fill memory with them. For sent data, 0 would mean
 * unlimited (Chromium 153).
 */
const NO_BODIES = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 1 };

/** Window properties that a page sees. */
export interface Window {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
  readonly mobile: boolean;
}

/**
 * A tab in its own browser context, used for one capture, over the DevTools protocol. Puppeteer's Page object would cost 13 to 15 % of
 * throughput for unused features (measured 2026-11-20).
 */
export interface Page extends Evaluation, LargeAnswers {
  readonly mainFrameId: string;
  readonly mainFrame: MainFrame;
  readonly requests: RequestTracker;
  readonly pictures: PictureTypes;
  readonly firstMessages: FirstMessages;
  readonly clock: PageClock;
  readonly children: ChildSessions;
  /** Aborted when the capture ends (deadline, client disconnected), or the tab or its browser ends. */
  readonly signal: AbortSignal;
  /** Aborts all waits on this page with the signal. */
  readonly endWith: (signal: AbortSignal) => void;
  /**
   * Sends a protocol call. Races against `signal`, because Chrome never answers for a crashed tab.
   * @throws Error of the protocol, or the signal's reason
   */
  readonly send: CDPSession['send'];
  /** Changes the window. Costs nothing if it is the same; a change takes 4 to 10 ms (measured 2026-11-21). */
  readonly setWindow: (window: Window) => Promise<void>;
  /** The page's session. It lives as long as the page. */
  readonly session: CDPSession;
  /** Prepares each session of this page, including frames in other processes, before its first request. */
  readonly onSession: (prepare: (session: CDPSession) => Promise<unknown>) => Promise<void>;
  /** Prepares each dedicated worker of this page and its frames before its first line. Shared workers belong to no page. */
  readonly onWorker: (prepare: (session: CDPSession) => Promise<unknown>) => Promise<void>;
  /** Follows each session of this page, including workers. Events of a worker before its session is attached are missed. */
  readonly followSessions: (listen: (session: CDPSession) => void) => void;
  /** Resolves when all events that the browser has sent so far for this page were received. */
  readonly receivePendingEvents: () => Promise<void>;
  /** Runs functions in the isolated world of a frame in one of the sessions. */
  readonly worldOf: (session: CDPSession, frameId: string) => Evaluation;
  /** Runs a script of the request in the page's own world; see `runInPageWorld`. */
  readonly runInPageWorld: (script: string) => Promise<void>;
  /** Intercepts requests of all sessions; see `createInterception`. */
  readonly intercept: (rule: InterceptionRule) => Promise<void>;
  /** Closes the tab and its context. Bounded; rejects if it does not close, which means a problem of the browser. */
  readonly close: () => Promise<void>;
}

/** The connection and context of a page. */
export interface Tabs {
  readonly connection: Connection;
  readonly takeBytes: PipeTransport['takeBytes'];
  readonly gatherBytes: PipeTransport['gatherBytes'];
  readonly countFor: PipeTransport['countFor'];
  /** Aborted when the browser ends. */
  readonly ended: AbortSignal;
}

/** Prepares a blank tab, to which `session` is attached. */
export async function preparePage(
  { connection, takeBytes, gatherBytes, countFor, ended }: Tabs,
  session: CDPSession,
  {
    browserContextId,
    targetId: mainFrameId, // Chrome uses the id of the target for its main frame
    window: firstWindow,
    wrapsFrameCallbacks,
  }: {
    readonly browserContextId: string;
    readonly targetId: string;
    readonly window: Window;
    readonly wrapsFrameCallbacks: boolean;
  },
): Promise<Page> {
  const over = new AbortController();
  const { signal } = over;
  const mainFrame = followMainFrame(session, mainFrameId, () => void holdInPlace());
  const requests = createRequestTracker();
  const pictures = createPictureTypes(session);
  const account = createPageAccount((error) => {
    over.abort(error);
  });
  const firstMessages = createFirstMessages();
  const workerScripts = countWorkerScripts(connection, browserContextId, requests, () => {
    void children.watch().catch(() => undefined); // a worker made from a blob sends no request that reveals it
  });
  const stops = [workerScripts.stop];
  const follow = (any: CDPSession): Promise<unknown> => {
    stops.push(countFor(account, any.id()));
    requests.follow(any);
    pictures.follow(any);
    firstMessages.follow(any);
    workerScripts.follow(any);
    return any.send('Network.enable', NO_BODIES);
  };
  stops.push(followServiceWorkers({ connection, session, browserContextId, requests, follow }));
  const preparations: ((session: CDPSession) => Promise<unknown>)[] = [follow];
  const prepare = (any: CDPSession): Promise<unknown> => Promise.all(preparations.map((each) => each(any)));
  const workerPreparations: ((session: CDPSession) => Promise<unknown>)[] = [follow];
  const children = followChildren({
    connection,
    session,
    prepareFrame: prepare,
    prepareWorker: (worker) => Promise.allSettled(workerPreparations.map((each) => each(worker))),
  });

  session.once('Inspector.targetCrashed', () => {
    over.abort(new RendererCrashedError('the page crashed its renderer'));
  });
  const onDetached = (detached: CDPSession): void => {
    if (detached === session) over.abort(new RendererCrashedError('the page closed itself'));
  };
  connection.on(CDPSessionEvent.SessionDetached, onDetached);
  endWith(ended);
  session.on('Page.javascriptDialogOpening', ({ type }) => {
    // A dialog blocks the page until it is answered. `beforeunload` is accepted, so that the page can navigate.
    void session
      .send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' })
      .catch(() => undefined);
  });

  function endWith(outer: AbortSignal): void {
    const end = (): void => {
      over.abort(outer.reason);
    };
    if (outer.aborted) end();
    else outer.addEventListener('abort', end, { once: true, signal });
  }

  const send: Page['send'] = (method, params, options) =>
    raceAbort(session.send(method, params, options), signal);
  const evaluation = createEvaluate(send, mainFrameId);
  const callbacks = createPageFrames(evaluation);
  if (wrapsFrameCallbacks) preparations.push(callbacks.install);
  const clock = createPageClock({
    session,
    mainFrame,
    callbacks,
    frames: children.frames,
    signal,
    lose: (reason) => over.abort(reason),
  });
  const onSession: Page['onSession'] = async (each) => {
    preparations.push(each);
    await raceAbort(each(session), signal);
  };
  const onWorker: Page['onWorker'] = async (each) => {
    workerPreparations.push(each);
    await raceAbort(children.watch(), signal);
  };
  const followSessions: Page['followSessions'] = (listen) => {
    const follow = async (any: CDPSession): Promise<void> => listen(any);
    preparations.push(follow);
    workerPreparations.push(follow);
    listen(session);
  };
  let receiving: Promise<void> | undefined;
  const receivePendingEvents = (): Promise<void> => {
    // One call for all callers in the same event loop turn. The browser process answers it, so no page can delay it.
    receiving ??= Promise.resolve().then(async () => {
      receiving = undefined;
      await raceAbort(connection.send('Browser.getVersion'), signal);
    });
    return receiving;
  };
  const worldOf: Page['worldOf'] = (any, frameId) =>
    createEvaluate((...call) => raceAbort(any.send(...call), signal), frameId);
  const intercept = createInterception(session, onSession);
  const holdInPlace = async (): Promise<void> => {
    try {
      await intercept({
        patterns: [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Request' }],
        onRequest: ({ frameId }) => (frameId === mainFrameId ? { block: true } : undefined),
      });
    } catch {
      // The page was closed and can't navigate any more.
    }
  };
  let window: Window | undefined;
  const setWindow: Page['setWindow'] = async (newWindow) => {
    if (isDeepStrictEqual(newWindow, window)) return;
    window = newWindow;
    await send('Emulation.setDeviceMetricsOverride', newWindow);
  };
  await Promise.all([send('Page.enable'), setWindow(firstWindow), prepare(session)]);

  return {
    mainFrameId,
    mainFrame,
    requests,
    pictures,
    firstMessages,
    clock,
    children,
    signal,
    session,
    send,
    ...createLargeAnswers(send, { takeBytes, gatherBytes }),
    setWindow,
    endWith,
    ...evaluation,
    runInPageWorld: (script) => runInPageWorld(send, script),
    onSession,
    onWorker,
    followSessions,
    receivePendingEvents,
    worldOf,
    intercept,
    close: async () => {
      connection.off(CDPSessionEvent.SessionDetached, onDetached);
      clock.stop();
      for (const stop of stops) stop();
      over.abort(new BrowserClosedError('the page is closed'));
      const closed = connection.send('Target.disposeBrowserContext', { browserContextId });
      await withTimeout(closed, LIMIT_MS.closePage, () => new Error('the browser context did not close'));
    },
  };
}
