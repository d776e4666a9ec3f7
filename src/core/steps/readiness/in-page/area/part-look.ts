import { boxOf, computed, read } from '../../../in-page/nodes.ts';
import { inTopWindow } from '../../../in-page/placement.ts';

/** Opacity from which a part counts as seen, and a loss of it from which it counts as hidden. */
export const FAINTEST = 0.3;
const LEAST_LOSS = 0.2;

/** What a page changes to hide or to move a part, without a change of the layout. */
export interface Look {
  readonly opacity: string;
  readonly visibility: string;
  readonly transform: string;
  readonly translate: string;
  readonly scale: string;
  readonly rotate: string;
  readonly filter: string;
  readonly clipPath: string;
  readonly color: string;
  readonly backgroundColor: string;
  readonly strokeDashoffset: string;
}

export function lookOf(part: Element): Look {
  const styles = computed(part);
  const { opacity, visibility, transform, translate, scale, rotate } = styles;
  const { filter, clipPath, color, backgroundColor, strokeDashoffset } = styles;
  const place = { transform, translate, scale, rotate };
  return { ...place, opacity, visibility, filter, clipPath, color, backgroundColor, strokeDashoffset };
}

/** Returns the declarations that give a part this look. Colours stay as they are now, unless they are transparent. */
export function declarationsOf(look: Look, now: Look): Readonly<Record<string, string>> {
  const { color, backgroundColor, ...others } = look;
  const entries = Object.entries(others).map(([key, value]): [string, string] => [
    key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries([
    ...entries,
    ...(isColourless(now.color) ? [['color', color]] : []),
    ...(isColourless(now.backgroundColor) && !isColourless(backgroundColor)
      ? [['background-color', backgroundColor]]
      : []),
  ]);
}

/** True if the part is less visible now than with the look that it had. */
export function isFainter(part: Element, now: Look, was: Look): boolean {
  if (now.visibility !== 'visible' || Number(now.opacity) < Number(was.opacity) - LEAST_LOSS) return true;
  if (isColourless(now.backgroundColor) && !isColourless(was.backgroundColor)) return true;
  if (isColourless(now.color) && !isColourless(was.color)) return true;
  if (now.clipPath !== was.clipPath || (now.filter !== 'none' && was.filter === 'none')) return true;
  return isTurnedAway(part, now) && !isTurnedAway(part, was);
}

/** True if the part has been moved away from where it was painted, or its line has been drawn back. */
export function isMovedAway(now: Look, was: Look): boolean {
  const isShifted = (['transform', 'translate', 'scale', 'rotate'] as const).some(
    (name) => now[name] !== was[name] && !isAtHome(now[name]),
  );
  return (
    isShifted || Math.abs(Number.parseFloat(now.strokeDashoffset)) > Math.abs(Number.parseFloat(was.strokeDashoffset))
  );
}

function isAtHome(transform: string): boolean {
  return transform === 'none' || transform === 'matrix(1, 0, 0, 1, 0, 0)';
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
function isTurnedAway(part: Element, { transform }: Look): boolean {
  return (
    transform.startsWith('matrix3d') &&
    new DOMMatrix(transform).m33 < 0 &&
    computed(part).backfaceVisibility === 'hidden'
  );
}

function isColourless(color: string): boolean {
  return color === 'transparent' || /^rgba\(.*, 0\)$/.test(color);
}

/** Returns the text of an element that contains nothing else. */
export function textOf(part: Element): string | undefined {
  if (read(Element.prototype, part, 'childElementCount') > 0) return undefined;
  return read(Node.prototype, part, 'textContent') ?? undefined;
}

/** Returns the box of a part in the top window. */
export function boxInWindow(part: Element): DOMRect {
  const { x, y, width, height } = inTopWindow(part, boxOf(part));
  return new DOMRect(x, y, width, height);
}

/** Returns the share of a box, or of the window if that is smaller, that the window shows. */
export function shareInWindow({ left, top, right, bottom, width, height }: DOMRect): number {
  const across = Math.min(right, innerWidth) - Math.max(left, 0);
  const down = Math.min(bottom, innerHeight) - Math.max(top, 0);
  if (across <= 0 || down <= 0) return 0;
  return (across * down) / (Math.min(width, innerWidth) * Math.min(height, innerHeight));
}
