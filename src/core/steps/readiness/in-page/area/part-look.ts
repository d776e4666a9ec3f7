import { computed } from '../../../in-page/nodes.ts';

/** Opacity from which a part counts as seen, and a loss of it from which it counts as hidden. */
export const FAINTEST = 0.3;
export const LEAST_LOSS = 0.2;

/** What hides a part without a change of the layout. */
export interface Look {
  readonly opacity: string;
  readonly visibility: string;
  readonly transform: string;
  readonly translate: string;
  readonly scale: string;
  readonly rotate: string;
  readonly filter: string;
  readonly clipPath: string;
  readonly backgroundColor: string;
}

export function lookOf(part: Element): Look {
  const { opacity, visibility, transform, translate, scale, rotate, filter, clipPath, backgroundColor } =
    computed(part);
  return { opacity, visibility, transform, translate, scale, rotate, filter, clipPath, backgroundColor };
}

/** True if the element is at least as visible as a part with this look. */
export function isShownAs(element: Element, look: Look): boolean {
  const { opacity, visibility, backgroundColor, display } = computed(element);
  if (
    display === 'none' ||
    visibility !== look.visibility ||
    isColourless(backgroundColor) !== isColourless(look.backgroundColor)
  )
    return false;
  return Number(opacity) > Number(look.opacity) - LEAST_LOSS;
}

/** True for a part that shows its back, which is hidden. */
export function isTurnedAway(part: Element, { transform }: Look): boolean {
  return (
    transform.startsWith('matrix3d') &&
    new DOMMatrix(transform).m33 < 0 &&
    computed(part).backfaceVisibility === 'hidden'
  );
}

export function isColourless(color: string): boolean {
  return color === 'transparent' || /^rgba\(.*, 0\)$/.test(color);
}

/** Returns the share of a box, or of the window if that is smaller, that the window shows. */
export function shareInWindow({ left, top, right, bottom, width, height }: DOMRect): number {
  const across = Math.min(right, innerWidth) - Math.max(left, 0);
  const down = Math.min(bottom, innerHeight) - Math.max(top, 0);
  if (across <= 0 || down <= 0) return 0;
  return (across * down) / (Math.min(width, innerWidth) * Math.min(height, innerHeight));
}
