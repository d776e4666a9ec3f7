import type { RootsOf } from '../../in-page/roots-of.ts';
import type { EndSvgAnimations } from './end-svg-animations.ts';

/**
 * Finishes CSS, Web and SVG animations that have an end, in the page, its frames of the same origin and its open shadow
 * trees. With `endless`, cancels those without an end. Leaves animations that follow the scroll position as they are.
 * Returns true if there was any animation to finish or cancel. Runs in the page.
 */
export function endAnimations(endless: boolean, rootsOf: RootsOf, endSvgAnimations: EndSvgAnimations): boolean {
  const isRunning = ({ timeline, effect, playState, playbackRate }: Animation): boolean => {
    if (timeline === null || 'source' in timeline) return false; // an animation that follows a scroll position
    return effect !== null && playState === 'running' && playbackRate !== 0;
  };
  const isEndless = ({ effect }: Animation): boolean => effect?.getComputedTiming().endTime === Infinity;

  const running = [...rootsOf(document)].flatMap((root) => root.getAnimations().filter(isRunning));
  const affected = endless ? running : running.filter((animation) => !isEndless(animation));
  for (const animation of affected) {
    if (isEndless(animation)) animation.cancel();
    else animation.finish();
  }
  return endSvgAnimations(endless, rootsOf) || affected.length > 0;
}
