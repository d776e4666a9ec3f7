import { rootsOf } from '../../in-page/roots-of.ts';
import { type CallbackCounts, countCallbacks } from './count-callbacks.ts';
import { animationsIn } from './end-animations.ts';
import { waitForObservers } from './wait-for-observers.ts';

/** Reaction of a page to its print layout. */
export interface Reaction {
  /** True if its scripts have changed the document. */
  readonly hasChanged: boolean;
  /** True if the page requests another animation frame. */
  readonly requestsFrames: boolean;
  /** True if the page has set a timer. */
  readonly setsTimers: boolean;
}

/** Begins to watch for a reaction, before the layout changes. Runs in the page. */
export function watchReaction(): void {
  const watch = { hasChanged: false, before: countCallbacks() };
  new MutationObserver((_changes, observer) => {
    observer.disconnect();
    watch.hasChanged = true;
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  Reflect.set(globalThis, 'printReaction', watch); // in the isolated world, invisible to the page
}

/**
 * Resolves after the animation frames in which media queries and observers notice the print layout. Runs in the page.
 */
export async function readReaction(hearsPrint: boolean): Promise<Reaction> {
  const watch: { readonly before: CallbackCounts; readonly hasChanged: boolean } = Reflect.get(
    globalThis,
    'printReaction',
  ) ?? { before: countCallbacks(), hasChanged: true }; // another document has replaced it
  endTransitions();
  if (hearsPrint) dispatchEvent(new Event('beforeprint'));
  await waitForObservers();
  await waitForObservers(); // the new size may come after the first frame
  const now = countCallbacks();
  return {
    hasChanged: watch.hasChanged,
    requestsFrames: now.frames - watch.before.frames > now.documents,
    setsTimers: now.timers - watch.before.timers > 2 * now.documents,
  };
}

/** Finishes transitions to the print layout, which run in real time: scripts would measure their beginning. */
function endTransitions(): void {
  for (const animation of rootsOf().flatMap(animationsIn)) if ('transitionProperty' in animation) animation.finish();
}
