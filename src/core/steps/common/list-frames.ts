import type { CDPSession, Protocol } from 'puppeteer';
import type { Evaluation } from '../../browser/page/evaluate.ts';
import type { Page } from '../../browser/page/page.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';
import { withTimeout } from '../../ground/timeouts.ts';

/** A frame of the page, the main frame included. */
export interface KnownFrame {
  readonly session: CDPSession;
  readonly frameId: string;
  readonly parentId: string | undefined;
  /** Origin of the document. `://` for an opaque origin. */
  readonly origin: string;
}

/** Returns the frames of all sessions by their id, without frames that were removed or do not answer. */
export async function listFrames(page: Page): Promise<ReadonlyMap<string, KnownFrame>> {
  const found = new Map<string, KnownFrame>();
  const collect = (session: CDPSession, { frame, childFrames = [] }: Protocol.Page.FrameTree): void => {
    const { id: frameId, parentId, securityOrigin: origin } = frame;
    found.set(frameId, { session, frameId, parentId, origin });
    for (const child of childFrames) collect(session, child);
  };
  const sessions = [page.session, ...page.children.frames()];
  await Promise.all(
    sessions.map(async (session) => {
      const tree = await inFrame(page, session, session.send('Page.getFrameTree'));
      if (tree !== undefined) collect(session, tree.frameTree);
    }),
  );
  return found;
}

/** Returns the functions that evaluate code in our isolated world of a frame. */
export function worldOf(page: Page, { session, frameId }: KnownFrame): Evaluation {
  return frameId === page.mainFrameId ? page : page.worldOf(session, frameId);
}

/**
 * Awaits work in a frame of this session. A frame that fails or is closed does not fail the capture: the result is
 * undefined. Only a frame in another process has a time limit. Later steps wait for the page itself anyway, and if work
 * in a busy page were given up, its placeholders would stay visible.
 */
export async function inFrame<T>(page: Page, session: CDPSession, work: Promise<T>): Promise<T | undefined> {
  const inTime =
    session === page.session ? work : withTimeout(work, LIMIT_MS.workInFrame, () => new Error('it does not answer'));
  return await inTime.catch(() => undefined);
}
