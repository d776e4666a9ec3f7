import { isDeepStrictEqual } from 'node:util';
import type { CDPSession, Connection } from 'puppeteer';
import { CDPSessionEvent } from 'puppeteer';
import { raceAbort, withTimeout } from '../../timeouts.ts';
import { BrowserGoneError, RendererCrashedError } from '../browser-errors.ts';
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
 * No bodies are kept, nor told: nobody asks for them, and a page could fill the browser's memory, and ours, with them. Of what is sent, 0
 * would be without a limit (Chromium 153).
 */
const NO_BODIES = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 1 };

/** What a page sees of the screen. */
export interface Window {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
  readonly mobile: boolean;
}

/**
 * One tab in a browser context of its own, driven over the bare protocol: Puppeteer's Page object costs 13 to 15 % of
 * throughput for what a capture does not use (measured 2026-11-20). Used for one capture, then closed.
 */
export interface Page extends Evaluation, LargeAnswers {
  readonly mainFrameId: string;
  readonly mainFrame: MainFrame;
  readonly requests: RequestTracker;
  readonly pictures: PictureTypes;
  readonly firstMessages: FirstMessages;
  readonly clock: PageClock;
  readonly children: ChildSessions;
  /** Fires when the capture is over (deadline, client gone), or the tab or its browser is gone. */
  readonly signal: AbortSignal;
  /** Ends every wait on this page, for the reason the signal gives. */
  readonly endWith: (signal: AbortSignal) => void;
  /**
   * One protocol call to the page. Raced against `signal`, as Chrome does not answer for a crashed tab.
   * @throws Error of the protocol, or the signal's reason.
   */
  readonly send: CDPSession['send'];
  /** Gives the page another window. One that it has already costs nothing: a change takes 4 to 10 ms (measured 2026-11-21). */
  readonly setWindow: (window: Window) => Promise<void>;
  /** Listens on the page's session for as long as the page lives. */
  readonly session: CDPSession;
  /** Prepares every session of this page, the frames' in other processes included, before their first request. */
  readonly onSession: (prepare: (session: CDPSession) => Promise<unknown>) => Promise<void>;
  /** Prepares every dedicated worker of this page and of its frames before its first line. Shared workers belong to no page. */
  readonly onWorker: (prepare: (session: CDPSession) => Promise<unknown>) => Promise<void>;
  /** Listens in every session of this page as it comes, those of workers included: what one says before its page has a sign of it is missed. */
  readonly followSessions: (listen: (session: CDPSession) => void) => void;
  /** Resolves when all that the browser had to tell of this page until now has been heard. */
  readonly heardSoFar: () => Promise<void>;
  /** As the page's own, for a frame of one of its sessions. */
  readonly worldOf: (session: CDPSession, frameId: string) => Evaluation;
  /** Runs a client's script among the page's own; see `runInPageWorld`. */
  readonly runInPageWorld: (script: string) => Promise<void>;
  /** Holds requests of every session, for one more reason; see `createInterception`. */
  readonly intercept: (rule: InterceptionRule) => Promise<void>;
  /** Disposes of the tab and its context. Bounded; rejects when it does not close, which makes the browser suspect. */
  readonly close: () => Promise<void>;
}

/** What a page is part of. */
export interface Tabs {
  readonly connection: Connection;
  readonly takeBytes: PipeTransport['takeBytes'];
  readonly gatherBytes: PipeTransport['gatherBytes'];
  readonly countFor: PipeTransport['countFor'];
  /** Fires when the browser is gone. */
  readonly gone: AbortSignal;
}

/** Prepares a blank tab that `session` is attached to. */
export async function preparePage(
  { connection, takeBytes, gatherBytes, countFor, gone }: Tabs,
  session: CDPSession,
  {
    browserContextId,
    targetId: mainFrameId, // Chrome gives the main frame its target's id
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
    void children.watch().catch(() => undefined); // a worker of a blob has no request that would tell of it
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
  endWith(gone);
  session.on('Page.javascriptDialogOpening', ({ type }) => {
    // A page left alone with a dialog stops for ever. `beforeunload` is accepted: we want to leave.
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
    const heard = async (any: CDPSession): Promise<void> => listen(any);
    preparations.push(heard);
    workerPreparations.push(heard);
    listen(session);
  };
  let hearing: Promise<void> | undefined;
  const heardSoFar = (): Promise<void> => {
    // One question for all who ask in the same turn. The browser's own process answers: no page can keep it waiting.
    hearing ??= Promise.resolve().then(async () => {
      hearing = undefined;
      await raceAbort(connection.send('Browser.getVersion'), signal);
    });
    return hearing;
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
      // The page is gone, and goes nowhere any more.
    }
  };
  let window: Window | undefined;
  const setWindow: Page['setWindow'] = async (wanted) => {
    if (isDeepStrictEqual(wanted, window)) return;
    window = wanted;
    await send('Emulation.setDeviceMetricsOverride', wanted);
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
    heardSoFar,
    worldOf,
    intercept,
    close: async () => {
      connection.off(CDPSessionEvent.SessionDetached, onDetached);
      clock.stop();
      for (const stop of stops) stop();
      over.abort(new BrowserGoneError('the page is closed'));
      const closed = connection.send('Target.disposeBrowserContext', { browserContextId });
      await withTimeout(closed, LIMIT_MS.closePage, () => new Error('the browser context did not close'));
    },
  };
}
