import type { RootsOf } from '../../in-page/roots-of.ts';

export type RevealScrollDriven = (rootsOf: RootsOf) => void;

/**
 * Moves animations on a view timeline to the moment at which their element is in the middle of the window, unless they are past it.
 * Otherwise sections below the first window would stay hidden on a picture of the whole page. Animations on a scroll timeline, such as
 * progress bars, stay at the top of the page. Runs in the page.
 */
export function revealScrollDriven(rootsOf: RootsOf): void {
  const MIDDLE = 50; // percent of a view timeline
  const percentOf = (time: unknown): number | undefined =>
    time instanceof CSSUnitValue && time.unit === 'percent' ? time.value : undefined;

  for (const animation of [...rootsOf(document)].flatMap((root) => root.getAnimations())) {
    const { timeline } = animation;
    if (timeline === null || !('subject' in timeline)) continue;
    const now = percentOf(timeline.currentTime);
    const start = percentOf(animation.startTime);
    if (now === undefined || start === undefined || now >= MIDDLE) continue;
    animation.pause();
    animation.currentTime = CSS.percent(MIDDLE - start);
  }
}
