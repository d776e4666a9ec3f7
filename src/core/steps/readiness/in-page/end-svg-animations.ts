import { everywhere } from '../../in-page/roots-of.ts';
import { showMostVisible } from './stop-endless.ts';

/**
 * Seeks inline SVG past the end of its SMIL animations, in the page, its frames of the same origin and its open shadow
 * trees. With `endless`, the timeline is paused where the elements of animations without an end are most visible.
 * Animations that only a script or an event begins are left alone, and so is a timeline that the page paused. Returns
 * true if an animation was brought to its end. Runs in the page.
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
      if (!endless || remaining.length === 0) continue;
      timeline.pauseAnimations();
      const startS = iterationAfter(remaining, seekTo);
      showMostVisible(remaining.map((animation) => asEndless(animation, timeline, startS)));
      break;
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

/**
 * Returns when an iteration of the longest animation begins, in seconds. Drawings keep times in 32 bits: of the next
 * iterations, the one is taken whose start is rounded least, and not to the end of the iteration before. So a picture
 * is the same, however often the timeline was sought.
 */
function iterationAfter(animations: readonly SVGAnimationElement[], seekTo: number): number {
  const ITERATIONS = 100; // those of most lengths begin at a whole second at least once
  const timings = animations.map((animation) => ({
    start: inMicroseconds(read(() => animation.getStartTime()) ?? 0),
    length: lengthOf(animation),
  }));
  const { start = 0, length = 0 } = timings.toSorted((a, b) => b.length - a.length)[0] ?? {};
  if (length === 0) return seekTo;
  const first = Math.ceil((seekTo - start) / length);
  const starts = Array.from({ length: ITERATIONS }, (_, index) => inMicroseconds(start + (first + index) * length));
  return starts.reduce((best, each) => (lateness(each) < lateness(best) ? each : best));
}

/** Returns by how much a start is rounded up. */
function lateness(startS: number): number {
  return Math.fround(startS) < startS ? Infinity : Math.fround(startS) - startS;
}

/** Returns the length of an iteration in seconds, 0 if it has none. */
function lengthOf(animation: SVGAnimationElement): number {
  return inMicroseconds(read(() => animation.getSimpleDuration()) ?? 0);
}

/** Rounds a time to microseconds, which removes the error of its 32 bits. */
function inMicroseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

/** All animations of a timeline are shown at once. */
function asEndless(animation: SVGAnimationElement, timeline: SVGSVGElement, startS: number) {
  return {
    target: animation.targetElement,
    pseudo: undefined,
    group: timeline,
    isDrawing: true,
    lengthMs: lengthOf(animation) * 1_000,
    showAt: (ms: number) => timeline.setCurrentTime(startS + ms / 1_000),
  };
}

function isUnfinished(animation: SVGAnimationElement): boolean {
  const start = read(() => animation.getStartTime());
  if (start === undefined) return false;
  // Without a duration, an animation holds one value permanently.
  const moves = read(() => animation.getSimpleDuration()) !== undefined;
  return moves || start > (timelineOf(animation)?.getCurrentTime() ?? 0);
}
