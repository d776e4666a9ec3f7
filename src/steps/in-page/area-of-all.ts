import { elementBox } from './element-box.ts';
import type { Box } from './placement.ts';
import { everywhere } from './roots-of.ts';

/**
 * Returns the smallest area that contains what a person sees of the first `most` matches. Undefined if none is visible.
 * Runs in the page.
 */
export function areaOfAll(selector: string, most: number): Box | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const element of everywhere(selector).take(most)) {
    const box = elementBox(element, true);
    if (box === undefined) continue;
    [left, top] = [Math.min(left, box.x), Math.min(top, box.y)];
    [right, bottom] = [Math.max(right, box.x + box.width), Math.max(bottom, box.y + box.height)];
  }
  return left === Infinity ? undefined : { x: left, y: top, width: right - left, height: bottom - top };
}
