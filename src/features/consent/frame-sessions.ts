import type { Protocol } from 'puppeteer';
import type { Page } from '../../core/browser/page/page.ts';
import { raceAbort } from '../../core/ground/timeouts.ts';
import { beginSession, type FrameSession, type Place } from './frame-session.ts';
import type { consentScript, snippetsText } from './library.ts';

/** Maximum number of overlay frames to check. */
const MAX_FRAMES = 5;

/** Cross-origin frames that lie over the page. */
export interface FrameSessions {
  /** Rejects or removes banners in these frames. False if there was none. */
  readonly clear: (count: number, mayRefuse: boolean, signal: AbortSignal) => Promise<boolean>;
  readonly isOpen: (count: number, signal: AbortSignal) => Promise<boolean>;
}

interface Tools {
  readonly consentScript: typeof consentScript;
  readonly snippetsText: typeof snippetsText;
}

/** Creates sessions with the overlay frames of a document. */
export function createFrameSessions(
  page: Page,
  session: FrameSession,
  { consentScript: scriptFor, snippetsText }: Tools,
): FrameSessions {
  const sessions = new Map<string, FrameSession>();

  const sessionAt = async (index: number, signal: AbortSignal): Promise<FrameSession | undefined> => {
    const objectId = await session.handle(`consent.frameAt(${index})`, signal);
    if (objectId === undefined) return undefined;
    const { node } = await raceAbort(page.session.send('DOM.describeNode', { objectId }), signal);
    const { frameId } = node;
    if (frameId === undefined) return undefined;
    const known = sessions.get(frameId);
    if (known !== undefined) return known;
    const found = await findPlace(page, frameId, signal);
    if (found === undefined) return undefined;
    const script = scriptFor({ url: found.url, isFramed: true });
    const opened = await beginSession(found, { script, snippetsText }, signal);
    sessions.set(frameId, opened);
    return opened;
  };
  /** Skips a frame that can't be checked, because it closes or does not answer. */
  const each = async (
    count: number,
    signal: AbortSignal,
    work: (inside: FrameSession, index: number) => Promise<boolean>,
  ): Promise<boolean> => {
    let isAny = false;
    for (let index = 0; index < Math.min(count, MAX_FRAMES); index++) {
      try {
        const inside = await sessionAt(index, signal);
        if (inside !== undefined && (await work(inside, index))) isAny = true;
      } catch {
        sessions.clear();
        signal.throwIfAborted();
      }
    }
    return isAny;
  };

  return {
    clear: (count, mayRefuse, signal) =>
      each(count, signal, async (inside, index) => {
        const { found, refusable } = await inside.send('check', signal);
        if (!found) return false;
        // The frame often closes with the click and does not answer.
        if (mayRefuse && refusable) await inside.send('refuse', signal).catch(() => undefined);
        const hasClosed =
          mayRefuse && refusable && (await session.evaluate(`consent.waitForFrameClose(${index})`, signal)) === true;
        if (!hasClosed) await session.evaluate(`consent.hideFrame(${index})`, signal);
        return true;
      }),
    isOpen: (count, signal) => each(count, signal, async (inside) => (await inside.send('check', signal)).found),
  };
}

async function findPlace(
  page: Page,
  frameId: string,
  signal: AbortSignal,
): Promise<(Place & { readonly url: string }) | undefined> {
  for (const session of [page.session, ...page.children.frames()]) {
    const { frameTree } = await raceAbort(session.send('Page.getFrameTree'), signal);
    const found = framesOf(frameTree).find(({ id }) => id === frameId);
    if (found === undefined) continue;
    return { session, frameId, isRoot: frameTree.frame.id === frameId, url: found.url };
  }
  return undefined;
}

function framesOf({ frame, childFrames = [] }: Protocol.Page.FrameTree): readonly Protocol.Page.Frame[] {
  return [frame, ...childFrames.flatMap(framesOf)];
}
