import { isDocument } from '../../in-page/nodes.ts';
import { rootsOf } from '../../in-page/roots-of.ts';
import { endSvgAnimations } from './end-svg-animations.ts';
import { stopEndless } from './stop-endless.ts';

/**
 * Finishes CSS, Web and SVG animations that have an end, in the page, its frames of the same origin and its open shadow
 * trees. With `endless`, stops those without an end where their elements are most visible. Leaves animations that
 * follow the scroll position as they are. Returns true if there was any animation to finish or stop. Runs in the page.
 */
export function endAnimations(endless: boolean): boolean {
  const running = rootsOf().flatMap(animationsIn).filter(isRunning).toArray();
  const affected = endless ? running : running.filter((animation) => !isEndless(animation));
  for (const animation of affected) if (!isEndless(animation)) animation.finish();
  stopEndless(affected.filter(isEndless));
  return endSvgAnimations(endless) || affected.length > 0;
}

/** Returns the animations of a tree. */
export function animationsIn(root: Document | ShadowRoot): Animation[] {
  return isDocument(root) ? Document.prototype.getAnimations.call(root) : root.getAnimations();
}

function isRunning({ timeline, effect, playState, playbackRate }: Animation): boolean {
  if (timeline === null || 'source' in timeline) return false; // an animation that follows a scroll position
  return effect !== null && playState === 'running' && playbackRate !== 0;
}

function isEndless({ effect }: Animation): boolean {
  return effect?.getComputedTiming().endTime === Infinity;
}
