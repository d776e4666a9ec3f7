import { clippersOf } from '../../in-page/clippers.ts';
import { boxOf, computed, isElement, parentOf } from '../../in-page/nodes.ts';

/** Moments of a first iteration that are compared. */
const MOMENTS = 24;
/** Limit for hostile pages: each animation is looked at in each moment. */
const MOST_COMPARED = 500;
/** Weight of what is visible beside the most visible element: slides and words take turns. */
const OTHERS = 0.001;

/** Something that moves without end. */
interface Endless {
  readonly target: Element | null;
  /** Pseudo-element of the target. */
  readonly pseudo: string | undefined;
  /** What takes turns stops at the same moment: siblings, or all of a drawing. */
  readonly group: unknown;
  /** Milliseconds until the end of the first iteration. */
  readonly lengthMs: number;
  readonly showAt: (ms: number) => void;
}

/**
 * Stops animations at the moment of their first iteration at which their element is most visible, the earliest if
 * several are equal. Those of siblings stop at the same moment, at which few others are visible.
 */
export function stopEndless(animations: readonly Animation[]): void {
  for (const animation of animations) animation.pause();
  showMostVisible(animations.map(asEndless));
}

function asEndless(animation: Animation): Endless {
  const { delay = 0, duration } = animation.effect?.getComputedTiming() ?? {};
  const target = targetOf(animation);
  const pseudo: unknown = animation.effect && Reflect.get(animation.effect, 'pseudoElement');
  return {
    target,
    pseudo: typeof pseudo === 'string' ? pseudo : undefined,
    group: target && parentOf(target),
    lengthMs: Math.max(0, delay) + (typeof duration === 'number' ? duration : 0),
    showAt: (ms) => {
      animation.currentTime = ms;
    },
  };
}

/** Returns the element that an animation moves, of any window. */
export function targetOf({ effect }: Animation): Element | null {
  const target: unknown = effect && Reflect.get(effect, 'target');
  return isElement(target) ? target : null;
}

/** Shows animations at their most visible moment. */
export function showMostVisible(animations: readonly Endless[]): void {
  const compared = animations.slice(0, MOST_COMPARED);
  for (const { showAt } of animations.slice(MOST_COMPARED)) showAt(0);
  const clips = new Map(compared.map(({ target }) => [target, clipOf(target)]));
  const groups = [...Map.groupBy(compared, ({ group }) => group).values()].map((members) => ({
    members,
    lengthMs: Math.max(...members.map(({ lengthMs }) => lengthMs)),
    best: { ms: 0, score: -1 },
  }));
  // All groups show a moment before any is looked at, so that the page is laid out once for each moment.
  for (let moment = 0; moment < MOMENTS; moment++) {
    const momentOf = (lengthMs: number): number => (lengthMs * moment) / MOMENTS;
    for (const { members, lengthMs } of groups) for (const { showAt } of members) showAt(momentOf(lengthMs));
    for (const group of groups) {
      const visible = group.members.map(({ target, pseudo }) => visibilityOf(target, pseudo, clips.get(target)));
      const most = Math.max(...visible);
      const score = most - OTHERS * (visible.reduce((sum, each) => sum + each, 0) - most);
      if (score > group.best.score + OTHERS / 10) group.best = { ms: momentOf(group.lengthMs), score };
    }
  }
  for (const { members, best } of groups) for (const { showAt } of members) showAt(best.ms);
}

/** Returns the box that cuts an element: of its nearest scroller, or of the page. */
function clipOf(target: Element | null): DOMRect {
  const [clipper] = target === null ? [] : clippersOf(target);
  return clipper === undefined ? new DOMRect(0, -scrollY, innerWidth, 1e7) : boxOf(clipper);
}

/** Returns the share of an element that is visible, times its opacity. */
function visibilityOf(target: Element | null, pseudo: string | undefined, clip: DOMRect | undefined): number {
  if (target === null || clip === undefined) return 0;
  const { opacity, visibility, display } = computed(target, pseudo);
  if (visibility !== 'visible' || display === 'none') return 0;
  if (pseudo !== undefined) return Number(opacity);
  const { left, top, right, bottom, width, height } = boxOf(target);
  const across = Math.min(right, clip.right) - Math.max(left, clip.left);
  const down = Math.min(bottom, clip.bottom) - Math.max(top, clip.top);
  if (across <= 0 || down <= 0) return 0;
  return (Number(opacity) * across * down) / (Math.min(width, clip.width) * Math.min(height, clip.height));
}
