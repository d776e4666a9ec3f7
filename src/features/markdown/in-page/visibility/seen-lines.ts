import type { Box } from './element-visibility.ts';
import { rectsOf } from './rects-of.ts';

/** Height of the smallest letters that a person can read, in CSS pixels. */
export const SMALLEST = 4;
const [MAX_LOOKUPS, MAX_CUT] = [5_000, 500_000];

/**
 * Returns the visible words of a partly visible text. Halves the text until each part is visible as a whole, or
 * hidden.
 */
export function wordsInside(
  node: Node,
  text: string,
  flow: Box,
): { readonly inside: string; readonly outside: string } {
  const words = [...text.slice(0, MAX_CUT).matchAll(/\s+|\S{1,40}/gu)];
  const [parts, out]: [string[], string[]] = [[], []];
  let lookups = 0;
  const visit = (from: number, to: number): void => {
    const [first, last] = [words[from], words[to - 1]];
    if (first === undefined || last === undefined) return;
    const stop = last.index + last[0].length;
    const rects = lookups++ < MAX_LOOKUPS ? rectsOf(node, first.index, stop) : [];
    const seen = rects.filter((rect) => isPartSeen(rect, flow));
    const part = text.slice(first.index, stop);
    const isSplit = !isAllSeen(rects, seen, flow) && seen.length > 0 && to - from > 1;
    if (isSplit) {
      const middle = (from + to) >> 1;
      visit(from, middle);
      visit(middle, to);
    } else if (part.trim() === '' || seen.length > 0) parts.push(part);
    else out.push(part);
  };
  visit(0, words.length);
  out.push(text.slice(MAX_CUT));
  return { inside: parts.join(''), outside: out.join(' ') };
}

/** True if so much of a line lies in the box that it can be read. */
export function isPartSeen(rect: DOMRect, { left, top, right, bottom }: Box): boolean {
  const wide = Math.min(rect.right, right) - Math.max(rect.left, left);
  const high = Math.min(rect.bottom, bottom) - Math.max(rect.top, top);
  return rect.height >= SMALLEST && wide >= Math.min(2, rect.width * 0.5) && wide > 0 && high >= rect.height * 0.4;
}

/** True if no part of any line is cut. */
export function isAllSeen(rects: readonly DOMRect[], seen: readonly DOMRect[], { left, right }: Box): boolean {
  return seen.length === rects.length && seen.every((rect) => rect.left >= left - 2 && rect.right <= right + 2);
}
