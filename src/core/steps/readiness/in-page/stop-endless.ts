import { clippersOf } from '../../in-page/clippers.ts';
import { boxOf, computed, isElement, parentOf } from '../../in-page/nodes.ts';

/** Moments of a first iteration that are compared. */
const MOMENTS = 24;
/** Limit for hostile pages: each animation is looked at in each moment. */
const MOST_COMPARED = 500;
/** Weight of what is visible beside the most visible element: slides and words take turns. */
const OTHERS = 0.001;

/** Share of its largest size from which an element counts as whole: a button pulses, but a bar grows. */
const WHOLE_SIZE = 0.8;
/** Share of the smaller box from which two siblings lie at one place. */
const ONE_PLACE = 0.5;

/** Something that moves without end. */
interface Endless {
  readonly target: Element | null;
  /** Pseudo-element of the target. */
  readonly pseudo: string | undefined;
  /** What runs on one timeline: siblings, or all of a drawing. */
  readonly group: unknown;
  /** Milliseconds until the end of the first iteration. */
  readonly lengthMs: number;
  /** True for an animation that the time of its drawing moves. */
  readonly isDrawing?: boolean;
  readonly showAt: (ms: number) => void;
}

/**
 * Stops animations at the moment of their first iteration at which their element is most visible, the earliest if
 * several are equal. Siblings that take turns stop at the same moment, at which few others are visible.
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
  const timelines = [...Map.groupBy(compared, ({ group }) => group).values()].map((members) => ({
    members,
    lengthMs: Math.max(...members.map(({ lengthMs }) => lengthMs)),
    /** For each moment, what each member shows. */
    moments: [] as Shown[][],
  }));
  // All show a moment before any is looked at, so that the page is laid out once for each moment.
  for (let moment = 0; moment < MOMENTS; moment++) {
    for (const { members, lengthMs } of timelines) for (const { showAt } of members) showAt(momentOf(lengthMs, moment));
    for (const { members, moments } of timelines)
      moments.push(members.map(({ target, pseudo }) => shownOf(target, pseudo, clips.get(target))));
  }
  for (const { members, lengthMs, moments } of timelines)
    for (const indexes of groupsOf(members, moments)) {
      const bestMs = momentOf(lengthMs, bestOf(moments, indexes));
      for (const index of indexes) members[index]?.showAt(bestMs);
    }
}

function momentOf(lengthMs: number, moment: number): number {
  return (lengthMs * moment) / MOMENTS;
}

/**
 * Groups members, by their indexes, that take turns: slides, words and items of a ticker are at one place when they are
 * most visible. All animations of one element are a group, and all of a drawing.
 */
function groupsOf(members: readonly Endless[], moments: readonly (readonly Shown[])[]): readonly (readonly number[])[] {
  const boxes = members.map((_, index) => moments[bestOf(moments, [index])]?.[index]?.box);
  const groups: number[][] = [];
  for (const [index, { target, isDrawing }] of members.entries()) {
    const found = groups.find(
      ([first = 0, ...others]) =>
        isDrawing === true ||
        [first, ...others].some(
          (other) => members[other]?.target === target || areAtOnePlace(boxes[other], boxes[index]),
        ),
    );
    if (found === undefined) groups.push([index]);
    else found.push(index);
  }
  return groups;
}

function areAtOnePlace(one: DOMRect | undefined, other: DOMRect | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  const smaller = Math.min(one.width * one.height, other.width * other.height);
  return across > 0 && down > 0 && across * down >= smaller * ONE_PLACE;
}

/** Returns the earliest moment at which one of these members is most visible, and few others are. */
function bestOf(moments: readonly (readonly Shown[])[], indexes: readonly number[]): number {
  const sizesOf = (index: number): readonly number[] => moments.map((members) => members[index]?.size ?? 0);
  const whole = indexes.map((index) => WHOLE_SIZE * Math.max(...sizesOf(index)));
  let best = { moment: 0, score: -1 };
  for (const [moment, members] of moments.entries()) {
    const visible = indexes.map((index, at) => {
      const { share, size } = members[index] ?? NOTHING;
      return share * Math.min(1, size / (whole[at] || 1));
    });
    const most = Math.max(...visible);
    const score = most - OTHERS * (visible.reduce((sum, each) => sum + each, 0) - most);
    if (score > best.score + OTHERS / 10) best = { moment, score };
  }
  return best.moment;
}

/** Returns the box that cuts an element: of its nearest scroller, or of the page. */
function clipOf(target: Element | null): DOMRect {
  const [clipper] = target === null ? [] : clippersOf(target);
  return clipper === undefined ? new DOMRect(0, -scrollY, innerWidth, 1e7) : boxOf(clipper);
}

/** How much of an element shows: its visible share times its opacity, and its size in square pixels. */
interface Shown {
  readonly share: number;
  readonly size: number;
  readonly box?: DOMRect;
}

const NOTHING: Shown = { share: 0, size: 0 };

function shownOf(target: Element | null, pseudo: string | undefined, clip: DOMRect | undefined): Shown {
  if (target === null || clip === undefined) return NOTHING;
  const { opacity, visibility, display, clipPath } = computed(target, pseudo);
  if (visibility !== 'visible' || display === 'none') return NOTHING;
  const unclipped = Number(opacity) * shareInside(clipPath);
  if (pseudo !== undefined) return { share: unclipped, size: 1 };
  const box = boxOf(target);
  const { left, top, right, bottom, width, height } = box;
  const across = Math.min(right, clip.right) - Math.max(left, clip.left);
  const down = Math.min(bottom, clip.bottom) - Math.max(top, clip.top);
  if (across <= 0 || down <= 0) return NOTHING;
  const share = (across * down) / (Math.min(width, clip.width) * Math.min(height, clip.height));
  return { share: unclipped * share, size: width * height, box };
}

/** Returns the share that `inset()` leaves of a box, if it is in percent. */
function shareInside(clipPath: string): number {
  const [, sides = ''] = /^inset\(([^)]*)\)/.exec(clipPath) ?? [];
  const [top = 0, right = top, bottom = top, left = right] = sides
    .split(' ')
    .map((side) => (side.endsWith('%') ? Number.parseFloat(side) / 100 : 0));
  return Math.max(0, 1 - top - bottom) * Math.max(0, 1 - left - right);
}
