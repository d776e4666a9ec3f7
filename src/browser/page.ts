import { isDeepStrictEqual } from 'node:util';
import type { CDPSession, Connection, Protocol } from 'puppeteer-core';
import { CDPSessionEvent } from 'puppeteer-core';
import { raceAbort, raceTimeout } from '../race.ts';
import { BrowserGoneError, RendererCrashedError } from './browser-errors.ts';
import { createEvaluate, type Evaluation, runInPageWorld } from './evaluate.ts';
import { createInterception, type InterceptionRule } from './interception.ts';
import { followMainFrame, type MainFrame } from './main-frame.ts';
import { createPageAccount } from './page-account.ts';
import type { PipeTransport } from './pipe-transport.ts';
import { createRequestTracker, type RequestTracker } from './request-tracker.ts';

const CLOSE_TIMEOUT_MS = 2_000; // a context may not close while its renderer is stuck

interface CallsForBytes {
  readonly 'Page.captureScreenshot': Protocol.Page.CaptureScreenshotRequest;
  readonly 'Page.printToPDF': Protocol.Page.PrintToPDFRequest;
}

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
export interface Page extends Evaluation {
  readonly mainFrameId: string;
  readonly mainFrame: MainFrame;
  readonly requests: RequestTracker;
  /** Fires when the capture is over (deadline, client gone), or the tab or its browser is gone. */
  readonly signal: AbortSignal;
  /** Ends every wait on this page, for the reason the signal gives. */
  readonly endWith: (signal: AbortSignal) => void;
  /**
   * One protocol call to the page. Raced against `signal`, as Chrome does not answer for a crashed tab.
   * @throws Error of the protocol, or the signal's reason.
   */
  readonly send: CDPSession['send'];
  /** As `send`, for a call whose answer is a picture or a document. */
  readonly sendForBytes: <Method extends keyof CallsForBytes>(
    method: Method,
    params: CallsForBytes[Method],
  ) => Promise<Buffer>;
  /** Gives the page another window. One that it has already costs nothing: a change takes 4 to 10 ms (measured 2026-11-21). */
  readonly setWindow: (window: Window) => Promise<void>;
  /** Listens on the page's session for as long as the page lives. */
  readonly session: CDPSession;
  /** Prepares every session of this page, the frames' in other processes included, before their first request. */
  readonly onSession: (prepare: (session: CDPSession) => Promise<unknown>) => Promise<void>;
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
  readonly countFor: PipeTransport['countFor'];
  /** Fires when the browser is gone. */
  readonly gone: AbortSignal;
}

/** Prepares a blank tab that `session` is attached to. */
export async function preparePage(
  { connection, takeBytes, countFor, gone }: Tabs,
  session: CDPSession,
  {
    browserContextId,
    targetId: mainFrameId, // Chrome gives the main frame its target's id
    window: firstWindow,
  }: { readonly browserContextId: string; readonly targetId: string; readonly window: Window },
): Promise<Page> {
  const over = new AbortController();
  const { signal } = over;
  const mainFrame = followMainFrame(session, mainFrameId, () => void holdInPlace());
  const requests = createRequestTracker();
  const account = createPageAccount((error) => {
    over.abort(error);
  });
  const counted: (() => void)[] = [];
  const preparations: ((session: CDPSession) => Promise<unknown>)[] = [
    (any) => {
      counted.push(countFor(account, any.id()));
      requests.follow(any);
      // No bodies are kept, nor told: nobody asks for them, and a page could fill the browser's memory, and ours, with them. Of what is
      // sent, 0 would be without a limit (Chromium 153).
      return any.send('Network.enable', {
        maxTotalBufferSize: 0,
        maxResourceBufferSize: 0,
        maxPostDataSize: 1,
      });
    },
    followChildren,
  ];

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

  async function followChildren(parent: CDPSession): Promise<void> {
    parent.on(CDPSessionEvent.SessionAttached, (child: CDPSession) => {
      const ready = Promise.all(preparations.map((prepare) => prepare(child)));
      // A frame that goes away while it is prepared needs nothing more from us.
      void ready.then(() => child.send('Runtime.runIfWaitingForDebugger')).catch(() => undefined);
    });
    // Most pages have no frames, and watching for those in other processes costs each page 2 % (measured 2026-11-20). A frame
    // is attached to its parent first, and only then goes to another site and process.
    if (parent === session)
      parent.once('Page.frameAttached', () => void watchFrames(parent).catch(() => undefined));
    else await watchFrames(parent);
  }

  const send: Page['send'] = (method, params, options) =>
    raceAbort(session.send(method, params, options), signal);
  const sendForBytes: Page['sendForBytes'] = async (method, params) => {
    const { data } = await send(method, params);
    return takeBytes(data);
  };
  const onSession: Page['onSession'] = async (prepare) => {
    preparations.push(prepare);
    await raceAbort(prepare(session), signal);
  };
  const intercept = createInterception(session, onSession);
  const holdInPlace = async (): Promise<void> => {
    try {
      await intercept({
        patterns: [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Request' }],
        onRequest: ({ frameId }) => (frameId === mainFrameId ? { block: true } : undefined),
      });
    } catch {
      // It is gone: in place enough.
    }
  };
  let window: Window | undefined;
  const setWindow: Page['setWindow'] = async (wanted) => {
    if (isDeepStrictEqual(wanted, window)) return;
    window = wanted;
    await send('Emulation.setDeviceMetricsOverride', wanted);
  };
  await Promise.all([
    send('Page.enable'),
    setWindow(firstWindow),
    ...preparations.map((prepare) => prepare(session)),
  ]);

  return {
    mainFrameId,
    mainFrame,
    requests,
    signal,
    session,
    send,
    sendForBytes,
    setWindow,
    endWith,
    ...createEvaluate(send, mainFrameId),
    runInPageWorld: (script) => runInPageWorld(send, script),
    onSession,
    intercept,
    close: async () => {
      connection.off(CDPSessionEvent.SessionDetached, onDetached);
      for (const stop of counted) stop();
      over.abort(new BrowserGoneError('the page is closed'));
      const closed = connection.send('Target.disposeBrowserContext', {
        browserContextId,
      });
      await raceTimeout(closed, CLOSE_TIMEOUT_MS, () => new Error('the browser context did not close'));
    },
  };
}

/** Has the frames in other processes attached to this session, held until they are prepared. */
async function watchFrames(parent: CDPSession): Promise<void> {
  await parent.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [{ type: 'iframe' }],
  });
}
