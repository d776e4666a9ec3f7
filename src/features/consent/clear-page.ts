import { isDocumentLost } from '../../core/browser/browser-errors.ts';
import type { MainDocument } from '../../core/browser/page/main-frame.ts';
import type { Page } from '../../core/browser/page/page.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { createFrameSessions, type FrameSessions } from './frame-sessions.ts';
import { beginSession, type FrameSession, type BannerState } from './frame-session.ts';

/** Maximum number of rejected or removed banners, for pages that bring them back. */
const MAX_ROUNDS = 6;
/** Maximum number of rejections, for pages that reload and show the banner again. */
const MAX_REFUSALS = 3;

/** Handles the cookie banners of one page. */
export interface BannerWatch {
  /**
   * Rejects banners, and removes those that can't be rejected. A page without a banner costs one check.
   * @throws Error if the page is lost or the capture has ended
   */
  readonly clear: (bounds: Bounds) => Promise<void>;
  /** True if there was a banner. */
  readonly hasFound: () => boolean;
  /** True if there is a banner now, or if the page does not answer. Makes no call if the checks found no banner. */
  readonly isOpen: () => Promise<boolean>;
}

interface Bounds {
  /** False if scripts of the page don't run: clicks would have no effect. */
  readonly mayRefuse: boolean;
  /** Waits while the page navigates. */
  readonly settle: () => Promise<void>;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Watches the banners of a page in all its documents. */
export async function watchBanners(page: Page): Promise<BannerWatch> {
  // 400 KB of script and rules, loaded on first use and cached.
  const { consentScript, snippetsText } = await import('./library.ts');
  let opened: { readonly document: MainDocument | undefined; readonly session: FrameSession } | undefined;
  let frames: FrameSessions | undefined;
  let refusals = 0;
  let hasFound = false;
  /** True if the last check failed, or the rejection or removal after it. */
  let isUnsure = false;

  const within = (limitMs: number): AbortSignal => AbortSignal.any([page.signal, AbortSignal.timeout(limitMs)]);
  const openSession = async (signal: AbortSignal): Promise<FrameSession> => {
    const document = page.mainFrame.current();
    if (opened !== undefined && opened.document === document) return opened.session;
    const script = consentScript({ url: document?.url ?? 'about:blank', isFramed: false });
    const place = { session: page.session, frameId: page.mainFrameId, isRoot: true };
    const session = await beginSession(place, { script, snippetsText }, signal, within(LIMIT_MS.bannerLook));
    frames = createFrameSessions(page, session, { consentScript, snippetsText });
    opened = { document, session };
    return session;
  };
  /** The first check of a document compiles the script, which takes longer than a second on a slow machine. */
  const check = async (): Promise<BannerState> => {
    const isFirst = opened === undefined || opened.document !== page.mainFrame.current();
    const signal = within(isFirst ? LIMIT_MS.banner : LIMIT_MS.bannerLook);
    return await (await openSession(signal)).send('check', signal);
  };

  /** Returns the state after one round. Undefined if there was no banner. */
  const clearOnce = async (state: BannerState, mayRefuse: boolean): Promise<BannerState | undefined> => {
    const signal = within(LIMIT_MS.banner);
    const isFrameFound = state.frames > 0 && (await frames?.clear(state.frames, mayRefuse, signal)) === true;
    if (isFrameFound || state.found) hasFound = true;
    if (!state.found) return isFrameFound ? await check() : undefined;
    const refuses = mayRefuse && state.refusable && refusals < MAX_REFUSALS;
    if (refuses) refusals++;
    return await (await openSession(signal)).send(refuses ? 'refuse' : 'hide', signal);
  };

  return {
    clear: async ({ mayRefuse, settle }) => {
      const until = performance.now() + LIMIT_MS.banner + LIMIT_MS.bannerLook;
      let state: BannerState | undefined;
      let isActing = false;
      for (let rounds = 0; rounds < MAX_ROUNDS && performance.now() < until; rounds++) {
        await settle();
        try {
          isActing = false;
          state ??= await check();
          isActing = true;
          state = await clearOnce(state, mayRefuse);
          isUnsure = false;
          if (state === undefined || (!state.found && state.frames === 0)) return;
        } catch (error) {
          page.signal.throwIfAborted();
          [opened, state, isUnsure] = [undefined, undefined, true];
          if (isTimeout(error)) {
            if (!isActing) return; // a script of the page is busy
            // The click may have started an endless script: it is stopped, and nothing on this page is clicked again.
            refusals = MAX_REFUSALS;
            page.session.send('Runtime.terminateExecution').catch(() => undefined); // the page was closed
          } else if (!isDocumentLost(error)) return; // not reported: the next step fails if the page is lost
        }
      }
    },
    hasFound: () => hasFound,
    isOpen: async () => {
      if (!hasFound && !isUnsure) return false;
      try {
        const { found, frames: count } = await check();
        return found || (count > 0 && (await frames?.isOpen(count, within(LIMIT_MS.bannerLook))) === true);
      } catch {
        page.signal.throwIfAborted();
        return true; // unknown
      }
    },
  };
}
