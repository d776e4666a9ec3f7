import { elementBox, unionOf } from './element-box.ts';
import type { Box } from './placement.ts';
import { everywhere } from './roots-of.ts';

/**
 * Returns the smallest area that contains what a person sees of the first `most` matches. Undefined if none is visible.
 * Runs in the page.
 */
export function areaOfAll(selector: string, most: number): Box | undefined {
  const found = [...everywhere(selector).take(most)];
  return unionOf(found.flatMap((element) => elementBox(element, true) ?? []));
}
