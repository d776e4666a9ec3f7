import { isDocumentLost } from '../../browser/browser-errors.ts';
import type { MainDocument } from '../../browser/page/main-frame.ts';
import type { Page } from '../../browser/page/page.ts';
import { LIMIT_MS } from '../../time-limits.ts';
import { createFrameTalks, type FrameTalks } from './frame-talks.ts';
import { beginTalk, type FrameTalk, type Sight } from './frame-talk.ts';

/** Refusals, and banners taken off, before a page that brings them again and again is left as it is. */
const MAX_ROUNDS = 6;
/** A page that reloads when it is refused, and asks again, is not refused for ever. */
const MAX_REFUSALS = 3;

/** What has been done about the banners of one page. */
export interface BannerWatch {
  /**
   * Refuses what can be refused, takes off the page what can't, until nothing is left of either. A page without a banner costs a look.
   * @throws Error the page's own reason when it is lost, or the capture over.
   */
  readonly clear: (bounds: Bounds) => Promise<void>;
  /** Whether there was ever a banner. */
  readonly hasFound: () => boolean;
  /** Whether there is one now. */
  readonly isOpen: () => Promise<boolean>;
}

interface Bounds {
  /** False where the page's scripts don't run: nothing would come of a click. */
  readonly mayRefuse: boolean;
  /** Waits while the page is on its way elsewhere. */
  readonly settle: () => Promise<void>;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Watches one page, in whatever documents it shows. */
export async function watchBanners(page: Page): Promise<BannerWatch> {
  // 400 KB of script and rules, for those who want them; kept from then on.
  const { consentScript, snippetsText } = await import('./library.ts');
  let talked: { readonly document: MainDocument | undefined; readonly talk: FrameTalk } | undefined;
  let frames: FrameTalks | undefined;
  let refusals = 0;
  let hasFound = false;

  const within = (limitMs: number): AbortSignal =>
    AbortSignal.any([page.signal, AbortSignal.timeout(limitMs)]);
  const talkTo = async (signal: AbortSignal): Promise<FrameTalk> => {
    const document = page.mainFrame.current();
    if (talked !== undefined && talked.document === document) return talked.talk;
    const script = consentScript({ url: document?.url ?? 'about:blank', isFramed: false });
    const place = { session: page.session, frameId: page.mainFrameId, isRoot: true };
    const talk = await beginTalk(place, { script, snippetsText }, signal);
    frames = createFrameTalks(page, talk, { consentScript, snippetsText });
    talked = { document, talk };
    return talk;
  };
  const look = async (): Promise<Sight> => {
    const signal = within(LIMIT_MS.bannerLook);
    return await (await talkTo(signal)).ask('look', signal);
  };

  /** What there is to see after what was to do was done; undefined when there was nothing. */
  const clearOnce = async (sight: Sight, mayRefuse: boolean): Promise<Sight | undefined> => {
    const signal = within(LIMIT_MS.banner);
    const isFrameFound = sight.frames > 0 && (await frames?.clear(sight.frames, mayRefuse, signal)) === true;
    if (isFrameFound || sight.found) hasFound = true;
    if (!sight.found) return isFrameFound ? await look() : undefined;
    const refuses = mayRefuse && sight.refusable && refusals < MAX_REFUSALS;
    if (refuses) refusals++;
    return await (await talkTo(signal)).ask(refuses ? 'refuse' : 'hide', signal);
  };

  return {
    clear: async ({ mayRefuse, settle }) => {
      const until = performance.now() + LIMIT_MS.banner + LIMIT_MS.bannerLook;
      let sight: Sight | undefined;
      let isActing = false;
      for (let rounds = 0; rounds < MAX_ROUNDS && performance.now() < until; rounds++) {
        await settle();
        try {
          isActing = false;
          sight ??= await look();
          isActing = true;
          sight = await clearOnce(sight, mayRefuse);
          if (sight === undefined || (!sight.found && sight.frames === 0)) return;
        } catch (error) {
          page.signal.throwIfAborted();
          [talked, sight] = [undefined, undefined];
          if (isTimeout(error)) {
            // What is clicked may run without end: it is stopped, and nothing of this page is clicked again.
            refusals = MAX_REFUSALS;
            page.session.send('Runtime.terminateExecution').catch(() => undefined); // it is gone
            if (!isActing) return;
          } else if (!isDocumentLost(error)) return; // not in our words: what comes next deals with the page
        }
      }
    },
    hasFound: () => hasFound,
    isOpen: async () => {
      try {
        const { found, frames: count } = await look();
        return found || (count > 0 && (await frames?.isOpen(count, within(LIMIT_MS.bannerLook))) === true);
      } catch {
        page.signal.throwIfAborted();
        return true; // there was one, and nobody can say that it has gone
      }
    },
  };
}
