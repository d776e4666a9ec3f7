import type { CDPSession, Connection } from 'puppeteer';
import { raceAbort, withTimeout } from '../../ground/timeouts.ts';
import { BrowserClosedError } from '../browser-errors.ts';
import type { Identity } from '../identity.ts';
import { createEvaluate, type Evaluation, runInPageWorld } from './evaluate.ts';
import { createPageClock, type PageClock } from './page-clock.ts';
import { type PageEnd, watchPageEnd } from './page-end.ts';
import { createPageFrames, type PageFrames } from './page-frames.ts';
import { createPageSessions, type PageSessions } from './page-sessions.ts';
import { createInterception, type InterceptionRule } from './requests/interception.ts';
import { createLocalStorage, type LocalStorage } from './local-storage.ts';
import { followMainFrame, type MainFrame } from './main-frame.ts';
import { createPageAccount } from '../pipe/page-account.ts';
import type { PipeTransport } from '../pipe/pipe-transport.ts';
import { createPieceReader, type PieceReader } from './read-in-pieces.ts';
import { createPictureTypes, type PictureTypes } from './requests/picture-types.ts';
import { createRequestTracker, type RequestTracker } from './requests/request-tracker.ts';
import { type Channels, createChannels } from './requests/channels.ts';
import { followServiceWorkers } from './requests/service-workers.ts';
import { countWorkerScripts } from './requests/worker-scripts.ts';
import { createSetWindow, type Window } from './screen.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

/**
 * Disables storing bodies in the browser: they are never read, and a page could fill memory with them. For sent data, 0
 * would mean unlimited (Chromium 153).
 */
const NO_BODIES = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 1 };

/**
 * A tab in its own browser context, used for one capture, over the DevTools protocol. Puppeteer's Page object would
 * cost 13 to 15 % of throughput for unused features (measured 2026-11-20).
 */
export interface Page extends Evaluation, PieceReader, Omit<PageSessions, 'prepare'>, Pick<PageEnd, 'endWith'> {
  readonly mainFrameId: string;
  readonly mainFrame: MainFrame;
  readonly requests: RequestTracker;
  readonly pictures: PictureTypes;
  readonly channels: Channels;
  /** What the page sees of the browser, unless the request says otherwise. */
  readonly identity: Identity;
  readonly clock: PageClock;
  /** What the scripts of the page do. */
  readonly scripts: Pick<PageFrames, 'observe' | 'isWorking' | 'awaitsTimer'>;
  /** Makes WebGL canvases of later documents keep what they draw. */
  readonly keepDrawings: () => Promise<void>;
  /** Aborted when the capture ends (deadline, client disconnected), or the tab or its browser ends. */
  readonly signal: AbortSignal;
  /**
   * Sends a protocol call. Races against `signal`, because Chrome never answers for a crashed tab.
   * @throws Error of the protocol, or the signal's reason
   */
  readonly send: CDPSession['send'];
  /** Changes the window. Costs nothing if it is the same; a change takes 4 to 10 ms (measured 2026-11-21). */
  readonly setWindow: (window: Window) => Promise<void>;
  /** The page's session. It lives as long as the page. */
  readonly session: CDPSession;
  /** Resolves when all events that the browser has sent so far for this page were received. */
  readonly receivePendingEvents: () => Promise<void>;
  /** Runs functions in the isolated world of a frame in one of the sessions. */
  readonly worldOf: (session: CDPSession, frameId: string) => Evaluation;
  /** Runs a script of the request in the page's own world; see `runInPageWorld`. */
  readonly runInPageWorld: (script: string) => Promise<void>;
  /** Local storage in the context of the page. */
  readonly localStorage: LocalStorage;
  /** Intercepts requests of all sessions; see `createInterception`. */
  readonly intercept: (rule: InterceptionRule) => Promise<void>;
  /** Closes the tab and its context. Bounded; rejects if it does not close, which means a problem of the browser. */
  readonly close: () => Promise<void>;
}

/** The connection and context of a page. */
export interface Tabs {
  readonly connection: Connection;
  readonly pipe: Pick<PipeTransport, 'takeBytes' | 'gatherBytes' | 'countFor'>;
  readonly identity: Identity;
  /** Aborted when the browser ends. */
  readonly ended: AbortSignal;
  /** Opens a blank tab of our own beside a page, and attaches to it. */
  readonly openTabBeside: (browserContextId: string) => Promise<CDPSession>;
}

/** Prepares a blank tab, to which `session` is attached. */
export async function preparePage(
  { connection, pipe, identity, ended, openTabBeside }: Tabs,
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
  const { signal, end, ...pageEnd } = watchPageEnd(connection, session, ended);
  const send: Page['send'] = (method, params, options) => raceAbort(session.send(method, params, options), signal);
  const evaluation = createEvaluate(send, mainFrameId);
  const callbacks = createPageFrames(evaluation, send);

  const mainFrame = followMainFrame(session, mainFrameId, (rule) => void intercept(rule).catch(() => undefined));
  const requests = createRequestTracker();
  followDocuments(session, { evaluation, mainFrame, requests });
  const pictures = createPictureTypes(session);
  const account = createPageAccount(end);
  const channels = createChannels(evaluation);
  const workerScripts = countWorkerScripts(connection, browserContextId, requests);
  const stops = [workerScripts.stop, pageEnd.stop];
  const follow = (followed: CDPSession): Promise<unknown> => {
    stops.push(pipe.countFor(account, followed.id()));
    requests.follow(followed);
    pictures.follow(followed);
    channels.follow(followed);
    workerScripts.follow(followed);
    return introduce(followed, identity);
  };
  stops.push(followServiceWorkers({ connection, session, browserContextId, requests, follow }));
  const preparations = wrapsFrameCallbacks ? [callbacks.install] : [];
  const sessions = createPageSessions({ connection, session, follow, preparations, signal });
  const { prepare, children, onSession, ...toSessions } = sessions;
  const intercept = createInterception(session, onSession);
  answerDialogs(session);

  const clock = createPageClock({
    session,
    mainFrame,
    evaluate: evaluation.evaluate,
    callbacks,
    frames: children.frames,
    signal,
    lose: end,
  });
  const openTab = (): Promise<CDPSession> => openTabBeside(browserContextId);
  const setWindow = createSetWindow(send);
  await Promise.all([send('Page.enable'), setWindow(firstWindow), prepare()]);

  return {
    mainFrameId,
    mainFrame,
    requests,
    pictures,
    channels,
    identity,
    clock,
    scripts: callbacks,
    keepDrawings: () => onSession(callbacks.keepDrawings),
    children,
    signal,
    session,
    send,
    ...createPieceReader(send, pipe, { signal, clock }),
    setWindow,
    endWith: pageEnd.endWith,
    ...evaluation,
    runInPageWorld: (script) => runInPageWorld(send, script),
    localStorage: createLocalStorage({ session, frames: children.frames, openTab, signal }),
    onSession,
    ...toSessions,
    receivePendingEvents: createEventReceipt(connection, signal),
    worldOf: (owner, frameId) => createEvaluate((...call) => raceAbort(owner.send(...call), signal), frameId),
    intercept,
    close: async () => {
      clock.stop();
      for (const stop of stops) stop();
      end(new BrowserClosedError('the page is closed'));
      const closed = connection.send('Target.disposeBrowserContext', { browserContextId });
      await withTimeout(closed, LIMIT_MS.closePage, () => new Error('the browser context did not close'));
    },
  };
}

async function introduce(session: CDPSession, identity: Identity): Promise<void> {
  await Promise.all([
    session.send('Network.enable', NO_BODIES),
    session.send('Emulation.setUserAgentOverride', identity),
  ]);
}

interface Followers {
  readonly evaluation: Evaluation;
  readonly mainFrame: MainFrame;
  readonly requests: RequestTracker;
}

function followDocuments(session: CDPSession, { evaluation, mainFrame, requests }: Followers): void {
  // Also applies to documents that a script, a form, a refresh or an action loads.
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId === undefined) evaluation.enterWorld();
  });
  // A document that stops its own load reports no end of its request.
  session.on('Page.frameStoppedLoading', ({ frameId }) => {
    const requestId = frameId === mainFrame.id ? mainFrame.current()?.requestId : undefined;
    if (requestId !== undefined) requests.end(requestId);
  });
}

/** A dialog blocks the page until it is answered. `beforeunload` is accepted, so that the page can navigate. */
function answerDialogs(session: CDPSession): void {
  session.on('Page.javascriptDialogOpening', ({ type }) => {
    void session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(() => undefined);
  });
}

/**
 * The browser process answers the call, so no page can delay it. One call for all callers of the same turn of the event
 * loop.
 */
function createEventReceipt(connection: Connection, signal: AbortSignal): Page['receivePendingEvents'] {
  let receiving: Promise<void> | undefined;
  return () => {
    receiving ??= Promise.resolve().then(async () => {
      receiving = undefined;
      await raceAbort(connection.send('Browser.getVersion'), signal);
    });
    return receiving;
  };
}
