import { everywhere } from '../../in-page/roots-of.ts';

/**
 * Seeks inline SVG past the end of its SMIL animations, in the page, its frames of the same origin and its open shadow
 * trees. With `endless`, animations without an end are ended and removed, and the timeline is paused. Animations that
 * only a script or an event begins are left alone, and so is a timeline that the page paused. Returns true if an
 * animation was brought to its end. Runs in the page.
 */
export function endSvgAnimations(endless: boolean): boolean {
  // Longer than finite animations last. A loop of two animations that begin each other costs 0.05 ms per iteration.
  const SEEK_S = 300;
  const MAX_ROUNDS = 3; // the end of one animation may begin others
  const MAX_SEEKS = 10; // a script may begin an animation whenever one ends
  const animations = [...everywhere<SVGAnimationElement>('animate, animateTransform, animateMotion, set')];
  let hasEnded = false;
  for (const [timeline, own] of Map.groupBy(animations, timelineOf)) {
    if (timeline === null || (timeline.animationsPaused() && timeline.getCurrentTime() < SEEK_S)) continue;
    for (let round = 0; round < (endless ? MAX_ROUNDS : 1); round++) {
      const unfinished = own.filter(isUnfinished);
      const seeks = Math.floor(timeline.getCurrentTime() / SEEK_S);
      if (unfinished.length === 0 || seeks > MAX_SEEKS) break;
      const seekTo = (seeks + 1) * SEEK_S; // shows the same moment in each capture
      timeline.setCurrentTime(seekTo);
      const remaining = own.filter(isUnfinished);
      hasEnded ||= endless || unfinished.some((animation) => !remaining.includes(animation));
      if (!endless) continue;
      for (const animation of remaining) end(animation);
      timeline.setCurrentTime(seekTo);
    }
    if (endless) timeline.pauseAnimations();
  }
  return hasEnded;
}

function timelineOf(element: SVGElement): SVGSVGElement | null {
  let top = element.ownerSVGElement;
  while (top !== null && top.ownerSVGElement !== null) top = top.ownerSVGElement;
  return top;
}

function read(time: () => number): number | undefined {
  try {
    return time();
  } catch {
    return undefined; // ignores invalid values
  }
}

function end(animation: SVGAnimationElement): void {
  if (animation.getAttribute('fill') === 'freeze') animation.setAttribute('fill', 'remove');
  animation.endElement();
}

function isUnfinished(animation: SVGAnimationElement): boolean {
  const start = read(() => animation.getStartTime());
  if (start === undefined) return false;
  // Without a duration, an animation holds one value permanently.
  const moves = read(() => animation.getSimpleDuration()) !== undefined;
  return moves || start > (timelineOf(animation)?.getCurrentTime() ?? 0);
}
