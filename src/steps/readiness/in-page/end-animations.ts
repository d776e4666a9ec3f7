import type { RootsOf } from '../../in-page/roots-of.ts';

/**
 * Brings the CSS and Web animations that end to their end, in the page, its frames of the same origin and its open shadow trees; with
 * `endless`, those without an end to how the element is without them. What follows the scroll position stands still already. True when
 * there was anything to end. Runs in the page.
 */
export function endAnimations(endless: boolean, rootsOf: RootsOf): boolean {
  const isRunning = ({ timeline, effect, playState, playbackRate }: Animation): boolean => {
    if (timeline === null || 'source' in timeline) return false; // one that follows a scroll position
    return effect !== null && playState === 'running' && playbackRate !== 0;
  };
  const isEndless = ({ effect }: Animation): boolean => effect?.getComputedTiming().endTime === Infinity;

  const running = [...rootsOf(document)].flatMap((root) => root.getAnimations().filter(isRunning));
  const wanted = endless ? running : running.filter((animation) => !isEndless(animation));
  for (const animation of wanted) {
    if (isEndless(animation)) animation.cancel();
    else animation.finish();
  }
  return wanted.length > 0;
}
