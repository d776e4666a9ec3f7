import type { CDPSession, Connection } from 'puppeteer';
import { CDPSessionEvent } from 'puppeteer';
import { RendererCrashedError } from '../browser-errors.ts';

export interface PageEnd {
  /** Aborted when the page ends. */
  readonly signal: AbortSignal;
  readonly end: (reason: Error) => void;
  /** Ends the page when the other signal aborts, with its reason. */
  readonly endWith: (signal: AbortSignal) => void;
  /** Stops watching the browser's sessions. */
  readonly stop: () => void;
}

/** Watches for the end of a page: the renderer crashes, the page closes itself, or its browser ends. */
export function watchPageEnd(connection: Connection, session: CDPSession, browserEnd: AbortSignal): PageEnd {
  const over = new AbortController();
  const { signal } = over;
  const end = (reason: Error): void => over.abort(reason);
  const endWith = (outer: AbortSignal): void => {
    const endToo = (): void => over.abort(outer.reason);
    if (outer.aborted) endToo();
    else outer.addEventListener('abort', endToo, { once: true, signal });
  };
  const onDetached = (detached: CDPSession): void => {
    if (detached === session) end(new RendererCrashedError('the page closed itself'));
  };

  session.once('Inspector.targetCrashed', () => {
    end(new RendererCrashedError('the page crashed its renderer'));
  });
  connection.on(CDPSessionEvent.SessionDetached, onDetached);
  endWith(browserEnd);

  return {
    signal,
    end,
    endWith,
    stop: () => void connection.off(CDPSessionEvent.SessionDetached, onDetached),
  };
}
